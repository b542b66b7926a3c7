import Synchronization

/// Follows the objects of a camera or a video from frame to frame, and names them.
///
/// ```swift
/// let detector = try StreamDetector(options: StreamDetectorOptions())
/// // In the camera's callback:
/// let result = try detector.results(in: VisionImage(pixels: frame, orientation: .right), at: timestamp)
/// for object in result.objects {
///     print(object.id, object.labels.first?.text ?? "object", object.frame)
/// }
/// ```
///
/// As in ML Kit's stream mode, first results may be incomplete: an object gets its identity when it has been seen in a few
/// frames, and a classifier looks at one object a frame, so that labels come a moment later. Later it looks again now and
/// then, ever more seldom; labels are what was said of the object so far, taken together.
///
/// A detector follows one stream at a time. It may be used from any thread; calls are served one after the other. When the
/// size of frames changes, all that was known is forgotten.
public final class StreamDetector: Sendable {
    /// What the detector was made with.
    public let options: StreamDetectorOptions

    let models: DetectionModels
    private let state: Mutex<StreamState>

    /// Reads and compiles the models.
    ///
    /// - Throws: `LocalModelError` if a model's files cannot be used, `InterpreterError` if the runtime refuses one.
    public init(options: StreamDetectorOptions) throws {
        let models = try DetectionModels(options.detection)
        self.options = options
        self.models = models
        var tracking = options.tracking
        tracking.highThreshold = models.detection.scoreThreshold
        tracking.lowThreshold = min(tracking.lowThreshold, tracking.highThreshold)
        state = try Mutex(StreamState(models: models, options: options, tracking: tracking))
    }

    /// The objects in the next frame of a stream, computed on the calling thread.
    ///
    /// - Parameters:
    ///   - image: the frame.
    ///   - time: when it is shown, counted from the beginning of the stream. Motion is reckoned in time, so that frames may
    ///     be dropped before they come here.
    /// - Throws: `ImageError` if the picture cannot be decoded, `OutputError` if a model gives NaN, `CancellationError` if
    ///   the task is cancelled. The stream goes on with the next frame.
    public func results(in image: VisionImage, at time: Duration) throws -> StreamResult {
        try state.withLock { state in
            try state.result(of: VideoFrame(image: image, timestamp: time, index: state.nextIndex))
        }
    }

    /// The objects in the next frame of a stream, computed on the calling thread.
    ///
    /// - Parameter frame: its index tells how many frames were dropped since the one before.
    /// - Throws: as ``results(in:at:)`` does.
    public func results(in frame: VideoFrame) throws -> StreamResult {
        try state.withLock { try $0.result(of: frame) }
    }

    /// Forgets all objects and begins a new stream. Identities go on rising.
    public func reset() {
        state.withLock { $0.reset() }
    }
}

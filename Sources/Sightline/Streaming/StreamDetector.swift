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

    private let models: DetectionModels
    /// Boxes below this confidence are of no use to the tracker.
    private let minimumScore: Float
    private let pool: WorkerPool<ModelRunner>
    /// What is known of the stream, lent to one caller at a time: asynchronous callers wait for it without a thread.
    let stream: WorkerPool<StreamState>

    /// Reads and compiles the models.
    ///
    /// - Throws: `LocalModelError` if a model's files cannot be used, `RuntimeError` if the LiteRT library is missing or too old,
    ///   `ModelError.rejectedByRuntime(reason:)` if the runtime refuses a model.
    public init(options: StreamDetectorOptions) throws {
        let models = try DetectionModels(options.detection)
        self.options = options
        self.models = models
        var tracking = options.tracking
        tracking.highThreshold = models.detection.scoreThreshold
        tracking.lowThreshold = min(tracking.lowThreshold, tracking.highThreshold)
        minimumScore = tracking.lowThreshold
        pool = try WorkerPool(count: options.detection.workers) { try models.makeDetector() }
        stream = try WorkerPool(count: 1) {
            try StreamState(models: models, options: options, tracking: tracking)
        }
    }

    /// The objects in the next frame of a stream, computed on the calling thread.
    ///
    /// Blocks while another call is served; in asynchronous code use `results(of:policy:)`.
    ///
    /// - Parameters:
    ///   - image: the frame.
    ///   - time: when it is shown, counted from the beginning of the stream. Motion is reckoned in time, so that frames may
    ///     be dropped before they come here.
    /// - Throws: `ImageError` if the picture cannot be decoded, `OutputError` if a model gives NaN, `CancellationError` if
    ///   the task is cancelled. The stream goes on with the next frame.
    public func results(in image: VisionImage, at time: Duration) throws -> StreamResult {
        try stream.withWorkerBlocking { state in
            try result(of: VideoFrame(image: image, timestamp: time, index: state.nextIndex), in: &state)
        }
    }

    /// The objects in the next frame of a stream, computed on the calling thread.
    ///
    /// Blocks while another call is served; in asynchronous code use `results(of:policy:)`.
    ///
    /// - Parameter frame: its index tells how many frames were dropped since the one before.
    /// - Throws: as ``results(in:at:)`` does.
    public func results(in frame: VideoFrame) throws -> StreamResult {
        try stream.withWorkerBlocking { try result(of: frame, in: &$0) }
    }

    private func result(of frame: VideoFrame, in state: inout StreamState) throws -> StreamResult {
        let detects = state.wantsDetection(of: frame.image.size)
        let view = try pool.withWorkerBlocking { try self.view(of: frame, detects: detects, with: &$0) }
        return try state.result(of: frame, seen: view)
    }

    /// The objects in the next frame of a stream, without blocking a thread.
    func result(of frame: VideoFrame) async throws -> StreamResult {
        let detects = try await stream.withWorker { $0.wantsDetection(of: frame.image.size) }
        return try await result(of: frame, seen: view(of: frame, detects: detects))
    }

    /// Looks at a frame, as soon as a worker is free, without regard to the others of its stream.
    func view(of frame: VideoFrame, detects: Bool) async throws -> FrameView {
        try await pool.withWorker { try view(of: frame, detects: detects, with: &$0) }
    }

    /// The objects in the next frame of a stream, which was looked at before.
    func result(of frame: VideoFrame, seen view: FrameView) async throws -> StreamResult {
        let result: StreamResult? = try await stream.withWorker { state in
            // When the size changes, a frame may be wanted that was not foreseen.
            if view.found == nil, state.wantsDetection(of: frame.image.size) { return nil }
            return try state.result(of: frame, seen: view)
        }
        if let result { return result }
        let view = try await self.view(of: frame, detects: true)
        return try await stream.withWorker { try $0.result(of: frame, seen: view) }
    }

    private func view(of frame: VideoFrame, detects: Bool, with runner: inout ModelRunner) throws -> FrameView {
        try FrameView(
            of: frame.image,
            by: models.detection,
            detects: detects,
            with: &runner,
            minimumScore: minimumScore,
            seesMotion: options.compensatesCameraMotion
        )
    }

    /// Forgets all objects and begins a new stream. Identities go on rising.
    ///
    /// Blocks while another call is served.
    public func reset() {
        stream.withWorkerBlocking { $0.reset() }
    }

    /// Forgets all objects and begins a new stream, without blocking a thread.
    func begin() async throws {
        try await stream.withWorker { $0.reset() }
    }
}

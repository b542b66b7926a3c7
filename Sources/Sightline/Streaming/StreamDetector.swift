/// Follows the objects of a camera or a video from frame to frame, and names them.
///
/// ```swift
/// let detector = try StreamDetector()  // the built-in models
/// // In the camera's callback:
/// let result = try detector.result(in: VisionImage(pixels: frame, orientation: .right), at: timestamp)
/// for object in result.objects {
///     print(object.labels.first?.text ?? "object", object.frame)
/// }
/// ```
///
/// As in ML Kit's stream mode, first results may be incomplete: an object gets its identity when it was seen in a few frames,
/// and a classifier looks at one object a frame, so that labels appear a moment later. It classifies an object again after a
/// while, and then less and less often; an object's labels are averaged over its life.
///
/// A detector follows one stream at a time. It may be used from any thread; calls are served in order. When the
/// size of frames changes, the detector forgets all objects. Each method has an asynchronous form and a synchronous form of the
/// same name; the synchronous form blocks while another call is served. The errors are typed, but `throws` names no type: reading a
/// picture and running a model fail with different types, and each method lists its own.
public final class StreamDetector: Sendable {
    /// The options of detection with which the detector was made.
    public let detection: ObjectDetectorOptions
    /// The options of the stream with which the detector was made.
    public let options: StreamDetectorOptions

    /// Whether a rewritten form of a model runs in its place, so that answers may differ a little.
    package var runsRewrittenModels: Bool { models.areRewritten }

    /// The files of the model that finds the objects.
    package var modelFiles: ModelSummary { ModelSummary(models.detection.model.files) }

    /// The names of the points that each object has; nil if the model gives none.
    public var pointNames: [ObjectPoint.Name]? { models.detection.model.head.pointNames }
    /// Whether the detection model gives masks.
    package var givesMasks: Bool { models.detection.model.head.givesMasks }

    private let models: DetectionModels
    private let thresholds: StreamThresholds
    private let pool: WorkerPool<DetectionRunner>
    /// The state of the stream, lent to one caller at a time: asynchronous callers wait for it without a thread.
    let stream: WorkerPool<StreamState>

    /// Reads and compiles the models.
    ///
    /// - Parameters:
    ///   - detection: the models, and the objects to report; the built-in models by default.
    ///   - options: the options for following objects.
    /// - Throws: as ``ObjectDetector/init(options:)`` does.
    public convenience init(
        detection: ObjectDetectorOptions = ObjectDetectorOptions(),
        options: StreamDetectorOptions = StreamDetectorOptions()
    ) throws {
        var drafts = try DetectionModels(detection)
        let thresholds = StreamThresholds(options, of: drafts.detection)
        if detection.optimizesModel { drafts.optimize(scoreThreshold: thresholds.least) }
        let pool = try WorkerPool(count: detection.workers) { [drafts] in try drafts.makeDetector() }
        let models = try pool.withWorkerBlocking { [drafts] in try drafts.probed(with: &$0) }
        try self.init(detection: detection, options: options, models: models, pool: pool, thresholds: thresholds)
    }

    /// Creates a detector of another stream that uses the compiled models of a detector, whose workers serve both in turn.
    ///
    /// - Parameters:
    ///   - other: a detector that ``canServe(_:_:)`` these options.
    ///   - detection: the objects to report.
    ///   - options: the options for following objects.
    /// - Throws: as the other initializer does.
    package convenience init(
        sharing other: StreamDetector,
        detection: ObjectDetectorOptions,
        options: StreamDetectorOptions
    ) throws {
        let drafts = try DetectionModels(detection)
        try self.init(
            detection: detection,
            options: options,
            models: drafts.sharing(other.models),
            pool: other.pool,
            thresholds: StreamThresholds(options, of: drafts.detection)
        )
    }

    private init(
        detection: ObjectDetectorOptions,
        options: StreamDetectorOptions,
        models: DetectionModels,
        pool: WorkerPool<DetectionRunner>,
        thresholds: StreamThresholds
    ) throws {
        (self.detection, self.options, self.models, self.pool) = (detection, options, models, pool)
        self.thresholds = thresholds
        stream = try WorkerPool(count: 1) {
            try StreamState(models: models, detection: detection, options: options, tracking: thresholds.tracking)
        }
    }

    /// Whether a detector with other options can use the compiled models of this detector: the models are the same, and a rewritten
    /// model leaves out no box that the other detector needs.
    package func canServe(_ other: ObjectDetectorOptions, _ options: StreamDetectorOptions) throws -> Bool {
        guard other.model == detection.model, other.classifier == detection.classifier,
            other.classifiesObjects == detection.classifiesObjects, other.optimizesModel == detection.optimizesModel,
            other.threads == detection.threads
        else { return false }
        let needed = StreamThresholds(options, of: try DetectionModels(other).detection)
        return !detection.optimizesModel || needed.least >= thresholds.least
    }

    /// The objects in the next frame of a stream.
    ///
    /// - Parameters:
    ///   - image: the frame.
    ///   - time: when the frame is shown, counted from the beginning of the stream. Motion is computed in time, so that the
    ///     caller may drop frames.
    /// - Throws: `ImageError` if the picture cannot be decoded, `OutputError` if a model gives NaN, `InterpreterError` if the
    ///   runtime fails, `CancellationError` if the task is cancelled. The stream continues with the next frame.
    public func result(in image: VisionImage, at time: Duration) async throws -> StreamResult {
        let index = try await stream.withWorker { $0.nextIndex }
        return try await result(in: VideoFrame(image: image, timestamp: time, index: index))
    }

    /// The objects in the next frame of a stream, computed on the calling thread.
    ///
    /// Blocks while another call is served.
    ///
    /// - Parameters:
    ///   - image: the frame.
    ///   - time: when the frame is shown, as for the asynchronous form.
    /// - Throws: as the asynchronous form.
    public func result(in image: VisionImage, at time: Duration) throws -> StreamResult {
        try stream.withWorkerBlocking { state in
            try result(in: VideoFrame(image: image, timestamp: time, index: state.nextIndex), of: &state)
        }
    }

    /// The objects in the next frame of a stream.
    ///
    /// - Parameter frame: the frame, with its time and its place in the stream.
    /// - Throws: as for an image and its time.
    public func result(in frame: VideoFrame) async throws -> StreamResult {
        let role = try await role(of: frame)
        do {
            return try await result(in: frame, observed: observe(frame, as: role))
        } catch {
            // A separate task, since the caller's may be cancelled.
            if role == .detection { try await Task { try await stream.withWorker { $0.repeatDetection() } }.value }
            throw error
        }
    }

    /// The objects in the next frame of a stream, computed on the calling thread.
    ///
    /// Blocks while another call is served.
    ///
    /// - Parameter frame: the frame, as for the asynchronous form.
    /// - Throws: as the asynchronous form.
    public func result(in frame: VideoFrame) throws -> StreamResult {
        try stream.withWorkerBlocking { try result(in: frame, of: &$0) }
    }

    private func result(in frame: VideoFrame, of state: inout StreamState) throws -> StreamResult {
        let role = state.role(of: frame)
        do {
            let observation = try pool.withWorkerBlocking { try observe(frame, as: role, with: &$0) }
            return try state.result(in: frame, observed: observation)
        } catch {
            if role == .detection { state.repeatDetection() }
            throw error
        }
    }

    /// The role of the next frame of the stream, which counts from now on.
    func role(of frame: VideoFrame) async throws -> FrameRole {
        try await stream.withWorker { $0.role(of: frame) }
    }

    /// Observes a frame as soon as a worker is free, without regard to the other frames of its stream.
    func observe(_ frame: VideoFrame, as role: FrameRole) async throws -> FrameObservation {
        try await pool.withWorker { try observe(frame, as: role, with: &$0) }
    }

    /// The objects in the next frame of a stream, which was observed before.
    func result(in frame: VideoFrame, observed observation: FrameObservation) async throws -> StreamResult {
        try await stream.withWorker { try $0.result(in: frame, observed: observation) }
    }

    private func observe(
        _ frame: VideoFrame,
        as role: FrameRole,
        with runner: inout DetectionRunner
    ) throws -> FrameObservation {
        try FrameObservation(
            of: frame.image,
            by: models.detection,
            as: role,
            with: &runner,
            minimumScore: thresholds.least,
            maximumObjects: models.namesChooseObjects ? nil : detection.validMaximumObjects,
            seesMotion: options.compensatesCameraMotion && role != .rest && frame.use != VideoFrame.Use.none,
            appearanceConfidence: options.usesAppearance ? thresholds.leastTrusted : nil
        )
    }

    /// Forgets all objects and begins a new stream. Identities continue to rise.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func reset() async throws {
        try await stream.withWorker { $0.reset() }
    }

    /// Forgets all objects and begins a new stream. Identities continue to rise.
    ///
    /// Blocks while another call is served.
    public func reset() {
        stream.withWorkerBlocking { $0.reset() }
    }
}

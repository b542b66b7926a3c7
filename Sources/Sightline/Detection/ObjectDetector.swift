/// Finds the objects in a picture, and names them.
///
/// ```swift
/// let detector = try ObjectDetector(options: ObjectDetectorOptions())  // the built-in models
/// for object in try await detector.objects(in: VisionImage(contentsOf: url)) {
///     print(object.labels.first?.text ?? "object", object.frame)
/// }
/// ```
///
/// A detector may be used from many tasks and threads at once; `options.workers` says how many are served at a time.
public final class ObjectDetector: Sendable {
    /// What the detector was made with.
    public let options: ObjectDetectorOptions

    private let detection: DetectionStage
    private let classification: ClassificationStage?
    private let pool: WorkerPool<Worker>

    /// The compiled models of one worker.
    private struct Worker {
        var detector: ModelRunner
        var classifier: ModelRunner?
    }

    /// Reads and compiles the models.
    ///
    /// - Throws: `LocalModelError` if a model's files cannot be used, `InterpreterError` if the runtime refuses one.
    public init(options: ObjectDetectorOptions) throws {
        let detection = DetectionStage(model: try DetectionModel(options.model), options: options)
        let classification: ClassificationStage? =
            if options.classifiesObjects, let classifier = options.classifier {
                ClassificationStage(
                    classifier: try Classifier(classifier),
                    options: options,
                    choosesObjects: detection.model.isClassAgnostic
                )
            } else {
                nil
            }
        self.options = options
        self.detection = detection
        self.classification = classification
        pool = try WorkerPool(count: options.workers) {
            Worker(
                detector: try detection.model.makeRunner(threads: options.threads),
                classifier: try classification?.classifier.makeRunner(threads: options.threads)
            )
        }
    }

    /// The objects in a picture, the most confident first; with ``ObjectDetectorOptions/detectsMultipleObjects`` off, the
    /// most prominent one alone.
    ///
    /// Frames lie inside the picture, in pixels of the upright picture.
    ///
    /// - Throws: `ImageError` if the picture cannot be decoded, `OutputError` if a model gives NaN,
    ///   `CancellationError` if the task is cancelled.
    public func objects(in image: VisionImage) async throws -> [DetectedObject] {
        try await timedObjects(in: image).value
    }

    /// The objects in a picture, with the time of each stage.
    public func timedObjects(in image: VisionImage) async throws -> Timed<[DetectedObject]> {
        try await pool.withWorker { try detect(in: image, with: &$0) }
    }

    /// The objects in a picture, computed on the calling thread: for camera callbacks.
    ///
    /// Blocks while all workers are busy; in asynchronous code use `objects(in:)`.
    public func results(in image: VisionImage) throws -> [DetectedObject] {
        try pool.withWorkerBlocking { try detect(in: image, with: &$0) }.value
    }

    /// The objects in many pictures, in their order, computed by all workers at once.
    ///
    /// - Throws: the first error; the other pictures are then cancelled.
    public func objects(in images: [VisionImage]) async throws -> [[DetectedObject]] {
        try await images.concurrentMap(limit: pool.count) { try await self.objects(in: $0) }
    }

    private func detect(in image: VisionImage, with worker: inout Worker) throws -> Timed<[DetectedObject]> {
        var clock = StageClock()
        var (objects, picture) = try detection.objects(in: image, with: &worker.detector, clock: &clock)
        if let classification, var classifier = worker.classifier {
            try classification.label(&objects, in: image, decoded: picture, with: &classifier, clock: &clock)
            worker.classifier = classifier
        }
        return Timed(value: objects, timings: clock.timings)
    }
}

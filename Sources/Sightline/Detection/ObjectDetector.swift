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

    private let models: DetectionModels
    private let pool: WorkerPool<DetectionModels.Runners>

    /// Reads and compiles the models.
    ///
    /// - Throws: `LocalModelError` if a model's files cannot be used, `RuntimeError` if the LiteRT library is missing or too old,
    ///   `ModelError.rejectedByRuntime(reason:)` if the runtime refuses a model.
    public init(options: ObjectDetectorOptions) throws {
        let models = try DetectionModels(options)
        self.options = options
        self.models = models
        pool = try WorkerPool(count: options.workers) { try models.makeRunners() }
    }

    /// The detection model's files, read.
    package var modelFiles: ModelSummary { ModelSummary(models.detection.model.files) }

    /// The names of the detector's classes in their order, empty where it has none; nil if it knows no classes at all.
    package var classNames: [String]? {
        models.detection.model.isClassAgnostic ? nil : models.detection.model.names.names
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
        try await pool.withWorker { try detect(in: image, with: &$0).objects }
    }

    /// The objects in a picture, and how many more were found than ``ObjectDetectorOptions/maximumObjects``.
    package func countedObjects(
        in image: VisionImage
    ) async throws -> (objects: Timed<[DetectedObject]>, omitted: Int) {
        try await pool.withWorker { try detect(in: image, with: &$0) }
    }

    /// The objects in a picture, computed on the calling thread: for camera callbacks.
    ///
    /// Blocks while all workers are busy; in asynchronous code use `objects(in:)`.
    public func results(in image: VisionImage) throws -> [DetectedObject] {
        try pool.withWorkerBlocking { try detect(in: image, with: &$0) }.objects.value
    }

    /// The objects in many pictures, in their order, computed by all workers at once.
    ///
    /// - Throws: the first error; the other pictures are then cancelled.
    public func objects(in images: [VisionImage]) async throws -> [[DetectedObject]] {
        try await images.concurrentMap(limit: pool.count) { try await self.objects(in: $0) }
    }

    private func detect(
        in image: VisionImage,
        with runners: inout DetectionModels.Runners
    ) throws -> (objects: Timed<[DetectedObject]>, omitted: Int) {
        var clock = StageClock()
        let found = try models.detection.detections(
            in: image,
            minimumScore: models.detection.scoreThreshold,
            maximumCount: options.detectsMultipleObjects ? options.effectiveMaximumObjects : .max,
            with: &runners.detector,
            clock: &clock
        )
        let chosen =
            options.detectsMultipleObjects
            ? found.detections : Prominence.most(of: found.detections, in: image.size).map { [$0] } ?? []
        var objects = chosen.map { detection in
            var object = detection
            if let label = models.detection.label(of: detection), label.confidence >= models.detection.labelThreshold {
                object.labels = [label]
            }
            return object
        }
        if let classification = models.classification, var classifier = runners.classifier {
            let labels = try classification.labels(
                of: objects.map(\.frame),
                in: image,
                decoded: found.picture,
                filter: classification.filter,
                with: &classifier,
                clock: &clock
            )
            runners.classifier = classifier
            objects = zip(objects, labels).compactMap { object, labels in
                classification.permitted(labels).map {
                    var named = object
                    named.labels = $0
                    return named
                }
            }
        }
        return (Timed(value: objects, timings: clock.timings), found.omitted)
    }
}

public import Foundation
import TensorFlowLite

/// Finds the objects in a picture, and names them.
///
/// ```swift
/// let detector = try ObjectDetector()  // the built-in models
/// for object in try await detector.objects(in: url) {
///     print(object.labels.first?.text ?? "object", object.frame)
/// }
/// ```
///
/// Each method has an asynchronous form and a synchronous form of the same name; `await` makes the difference. The asynchronous
/// form waits for a free worker without blocking a thread. The synchronous form works on the calling thread, for example in a
/// camera's callback, and blocks while all workers are busy.
///
/// The errors are typed, but `throws` names no type: reading a picture and running a model fail with different types, and each
/// method lists its own.
///
/// A detector may be used from many tasks and threads at once; ``ObjectDetectorOptions/workers`` of them are served at a time.
public final class ObjectDetector: Sendable {
    /// The options with which the detector was made.
    public let options: ObjectDetectorOptions

    private let models: DetectionModels
    private let pool: WorkerPool<DetectionModels.Runners>

    /// Reads and compiles the models.
    ///
    /// - Parameter options: the models, and the objects to report; the built-in models by default.
    /// - Throws: `LocalModelError` if a model's files cannot be used, `RuntimeError` if the LiteRT library is missing or too
    ///   old, `ModelError.rejectedByRuntime(reason:)` if the runtime refuses a model, `InterpreterError` if it cannot give the
    ///   model's input the size that a sidecar asks for, `ImageError.unsupportedInput` if the input's quantization is damaged.
    public convenience init(options: ObjectDetectorOptions = ObjectDetectorOptions()) throws {
        try self.init(options: options, leastThreshold: nil)
    }

    /// Reads and compiles the models.
    ///
    /// - Parameter leastThreshold: the lowest score that a picture's own options request, below which a rewritten model may drop objects;
    ///   nil for the least of the options.
    /// - Throws: as the public form.
    package convenience init(options: ObjectDetectorOptions, leastThreshold: Float?) throws {
        var models = try DetectionModels(options)
        if options.optimizesModel {
            models.optimize(scoreThreshold: leastThreshold ?? models.detection.scoreThresholds.least)
        }
        try self.init(options: options, models)
    }

    /// Reads a model and compiles a rewritten form of it, which runs in its place.
    ///
    /// - Parameter rewritten: a model with the same inputs and outputs.
    /// - Throws: as without a rewritten form.
    package convenience init(options: ObjectDetectorOptions, running rewritten: Model) throws {
        try self.init(options: options, DetectionModels(options).running(rewritten))
    }

    private init(options: ObjectDetectorOptions, _ models: DetectionModels) throws {
        self.options = options
        pool = try WorkerPool(count: options.workers) { [models] in try models.makeRunners() }
        self.models = try pool.withWorkerBlocking { [models] in try models.probed(with: &$0.detector) }
    }

    /// The detection model's files, read.
    package var modelFiles: ModelSummary { ModelSummary(models.detection.model.files) }

    /// The classifier's files, read; nil without a classifier.
    package var classifierFiles: ModelSummary? { models.classification.map { ModelSummary($0.classifier.files) } }

    /// Sentences about outputs whose meaning the detection model leaves open.
    package var outputAssumptions: [String] { models.detection.model.head.assumptions }

    /// The names of the points that each object has, such as an eye or an ankle; nil if the model gives none.
    public var pointNames: [ObjectPoint.Name]? { models.detection.model.head.pointNames }
    /// Whether the detection model gives masks.
    package var givesMasks: Bool { models.detection.model.head.givesMasks }

    /// The names of the detector's classes in their order, empty where the model has no names; nil if it knows no classes.
    package var classNames: [String]? {
        models.detection.model.isClassAgnostic ? nil : models.detection.model.names.names
    }

    /// The objects in a picture, most confident first; with ``ObjectDetectorOptions/detectsMultipleObjects`` off, only the
    /// most prominent object.
    ///
    /// Frames lie inside the picture, in pixels of the upright picture.
    ///
    /// - Throws: `ImageError` if the picture cannot be decoded, `SliceError` if ``ObjectDetectorOptions/slices`` are too small for
    ///   it, `OutputError` if a model gives NaN, `InterpreterError` if the runtime fails, `CancellationError` if the task is cancelled.
    public func objects(in image: VisionImage) async throws -> [DetectedObject] {
        try await result(in: image).objects
    }

    /// The objects in a picture, computed on the calling thread.
    ///
    /// Blocks while all workers are busy.
    ///
    /// - Throws: as the asynchronous form.
    public func objects(in image: VisionImage) throws -> [DetectedObject] {
        try pool.withWorkerBlocking { try detect(in: image, with: &$0) }.objects
    }

    /// The objects in a picture file.
    ///
    /// - Throws: `ImageError` if the file cannot be read or decoded, otherwise as for a picture.
    public func objects(in url: URL) async throws -> [DetectedObject] {
        try await pool.withWorker { try detect(in: VisionImage(contentsOf: url), with: &$0).objects }
    }

    /// The objects in a picture file, computed on the calling thread.
    ///
    /// Blocks while all workers are busy.
    ///
    /// - Throws: as the asynchronous form.
    public func objects(in url: URL) throws -> [DetectedObject] {
        try pool.withWorkerBlocking { try detect(in: VisionImage(contentsOf: url), with: &$0) }.objects
    }

    /// The objects in a picture, with the number of omitted objects and the time of each stage.
    ///
    /// - Throws: as for the objects alone.
    public func result(in image: VisionImage) async throws -> DetectionResult {
        try await pool.withWorker { try detect(in: image, with: &$0) }
    }

    /// The objects in a picture under its own options, for which the compiled models are used again.
    ///
    /// - Parameter options: other options than the detector's; their models, ``ObjectDetectorOptions/optimizesModel``, `threads` and
    ///   `workers` are ignored.
    /// - Throws: as for the objects alone.
    package func result(in image: VisionImage, under options: ObjectDetectorOptions) async throws -> DetectionResult {
        let models = models.under(options)
        return try await pool.withWorker { try detect(in: image, by: models, options, with: &$0) }
    }

    /// The names that the options of a picture can contain.
    package var labelNames: ObjectDetectorOptions.LabelNames { models.labelNames }

    /// The objects in many pictures, in the order of the pictures, computed by all workers at once.
    ///
    /// - Throws: the first error; the other pictures are then cancelled.
    public func objects(in images: [VisionImage]) async throws -> [[DetectedObject]] {
        try await images.concurrentMap(limit: pool.count) { try await self.objects(in: $0) }
    }

    private func detect(
        in image: VisionImage,
        with runners: inout DetectionModels.Runners
    ) throws -> DetectionResult {
        try detect(in: image, by: models, options, with: &runners)
    }

    private func detect(
        in image: VisionImage,
        by models: DetectionModels,
        _ options: ObjectDetectorOptions,
        with runners: inout DetectionModels.Runners
    ) throws -> DetectionResult {
        var clock = StageClock()
        let found = try models.detection.detections(
            in: image,
            thresholds: models.detection.scoreThresholds,
            maximumCount: .max,
            with: &runners.detector,
            clock: &clock
        )
        var (unnamed, omitted) = (0, 0)
        var objects = found.detections.compactMap { object -> DetectedObject? in
            let best = models.detection.label(of: object)
            let share = object.frame.share(of: image.size)
            guard let labels = models.detection.labels(best, covering: share) else {
                if models.detection.isUnnamed(best, covering: share) { unnamed += 1 }
                return nil
            }
            var object = object
            object.labels = labels
            return object
        }
        // Names that choose the objects come before the number of objects.
        let isChosenByClassifier = models.classification?.choosesObjects ?? false
        if isChosenByClassifier {
            omitted += objects.cut(
                to: max(options.effectiveMaximumObjects, ObjectDetectorOptions.defaultMaximumObjects)
            )
        } else {
            omitted += limit(&objects, options, in: image.size)
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
                guard let permitted = classification.permitted(labels) else {
                    if classification.isUnnamed(labels) { unnamed += 1 }
                    return nil
                }
                var object = object
                object.labels = permitted
                return object
            }
        }
        if isChosenByClassifier { omitted += limit(&objects, options, in: image.size) }
        return DetectionResult(
            objects: objects.sorted { $0.confidence > $1.confidence },
            omitted: omitted,
            unnamed: unnamed,
            size: image.size,
            timings: clock.timings
        )
    }

    /// Keeps as many of the wanted objects as the options allow, and returns the number of the others.
    private func limit(
        _ objects: inout [DetectedObject],
        _ options: ObjectDetectorOptions,
        in size: PixelSize
    ) -> Int {
        if options.detectsMultipleObjects { return objects.cut(to: options.effectiveMaximumObjects) }
        objects = mostProminent(objects, in: size)
        return 0
    }

    /// The object that stands out most, if there is an object.
    private func mostProminent(_ objects: [DetectedObject], in size: PixelSize) -> [DetectedObject] {
        let rated = objects.map { ($0, Prominence.of($0.frame, confidence: $0.objectConfidence, in: size)) }
        return rated.max { $0.1 < $1.1 }.map { [$0.0] } ?? []
    }
}

extension Array {
    /// Removes the elements after the first `count`, and returns their number.
    fileprivate mutating func cut(to count: Int) -> Int {
        let excess = Swift.max(self.count - count, 0)
        removeLast(excess)
        return excess
    }
}

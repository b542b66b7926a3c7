/// Says what a picture shows.
///
/// ```swift
/// let labeler = try ImageLabeler(options: ImageLabelerOptions(model: LocalModel(path: "plants.tflite")))
/// for label in try await labeler.labels(in: VisionImage(contentsOf: url)) {
///     print(label.text, label.confidence)
/// }
/// ```
///
/// A labeler may be used from many tasks and threads at once; `options.workers` says how many are served at a time.
public final class ImageLabeler: Sendable {
    /// What the labeler was made with.
    public let options: ImageLabelerOptions

    private let classifier: Classifier
    private let filter: LabelFilter
    private let fit: ImageFit
    private let pool: WorkerPool<ModelRunner>

    /// Reads and compiles the model.
    ///
    /// - Throws: `LocalModelError` if the model's files cannot be used, `RuntimeError` if the LiteRT library is missing or too old,
    ///   `ModelError.rejectedByRuntime(reason:)` if the runtime refuses the model.
    public init(options: ImageLabelerOptions) throws {
        let classifier = try Classifier(options.model)
        self.options = options
        self.classifier = classifier
        filter = LabelFilter(
            threshold: classifier.threshold(explicit: options.confidenceThreshold),
            allowed: options.allowedLabels,
            denied: options.deniedLabels,
            maximumCount: options.maximumLabels > 0
                ? options.maximumLabels : ImageLabelerOptions.defaultMaximumLabels
        )
        fit = classifier.fit(preferred: options.fit)
        pool = try WorkerPool(count: options.workers) { try classifier.makeRunner(threads: options.threads) }
    }

    /// The model's files, read.
    package var modelFiles: ModelSummary { ModelSummary(classifier.files) }

    /// The names of the model's outputs in their order, empty for a model without labels; how many outputs there are; and
    /// the one that means "none of the classes", which is never reported.
    package var classes: (names: [String], count: Int, backgroundIndex: Int?) {
        (classifier.names.names, classifier.head.classCount, classifier.names.backgroundIndex)
    }

    /// The labels of a picture, the most confident first.
    ///
    /// - Throws: `ImageError` if the picture cannot be decoded, `OutputError` if the model gives NaN,
    ///   `CancellationError` if the task is cancelled.
    public func labels(in image: VisionImage) async throws -> [Label] {
        try await timedLabels(in: image).value
    }

    /// The labels of a picture, with the time of each stage.
    public func timedLabels(in image: VisionImage) async throws -> Timed<[Label]> {
        try await pool.withWorker { try label(image, with: &$0) }
    }

    /// The labels of a picture, computed on the calling thread: for camera callbacks.
    ///
    /// Blocks while all workers are busy; in asynchronous code use `labels(in:)`.
    public func results(in image: VisionImage) throws -> [Label] {
        try pool.withWorkerBlocking { try label(image, with: &$0) }.value
    }

    /// The labels of many pictures, in their order, computed by all workers at once.
    ///
    /// - Throws: the first error; the other pictures are then cancelled.
    public func labels(in images: [VisionImage]) async throws -> [[Label]] {
        try await images.concurrentMap(limit: pool.count) { try await self.labels(in: $0) }
    }

    private func label(_ image: VisionImage, with runner: inout ModelRunner) throws -> Timed<[Label]> {
        var clock = StageClock()
        let region = try image.region(options.regionOfInterest)
        let placement = Placement(region, into: classifier.input.format.size, fit: fit)
        let picture = try clock.measure(\.decoding) { try image.decoded(for: [placement]) }
        try clock.measure(\.preprocessing) { try runner.write(placement, of: picture) }
        try clock.measure(\.inference) { try runner.run() }
        let labels = try clock.measure(\.postprocessing) {
            try classifier.head.withScores(of: runner.interpreter, values: &runner.outputs) {
                filter.labels(from: $0, names: classifier.names)
            }
        }
        return Timed(value: labels, timings: clock.timings)
    }
}

extension ImageLabelerOptions {
    /// The names that ``allowedLabels`` and ``deniedLabels`` can choose from; empty if the model has no labels.
    ///
    /// Reads the model's files.
    ///
    /// - Throws: `LocalModelError`.
    package func labelsToChooseFrom() throws -> [String] { try Classifier(model).names.reported }
}

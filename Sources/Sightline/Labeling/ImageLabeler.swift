public import Foundation
package import TensorFlowLite

/// Labels whole pictures with a classification model.
///
/// ```swift
/// let labeler = try ImageLabeler(options: ImageLabelerOptions(model: LocalModel(url: plants)))
/// for label in try await labeler.labels(in: url) {
///     print(label.text, label.confidence)
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
/// A labeler may be used from many tasks and threads at once; ``ImageLabelerOptions/workers`` of them are served at a time.
public final class ImageLabeler: Sendable {
    /// The options with which the labeler was made.
    public let options: ImageLabelerOptions

    private let classifier: Classifier
    private let choice: Choice
    private let pool: WorkerPool<ModelRunner>

    /// Reads and compiles the model.
    ///
    /// - Parameter options: the model, and the labels to report; the built-in labeler by default.
    /// - Throws: `LocalModelError` if the model's files cannot be used, `RuntimeError` if the LiteRT library is missing or too
    ///   old, `ModelError.rejectedByRuntime(reason:)` if the runtime refuses the model, `InterpreterError` if it cannot give the
    ///   model's input the size that a sidecar asks for, `ImageError.unsupportedInput` if the input's quantization is damaged.
    public convenience init(options: ImageLabelerOptions = ImageLabelerOptions()) throws {
        var classifier = try Classifier(ofPictures: options.model, threads: options.threads)
        if options.optimizesModel { classifier.optimize() }
        try self.init(options: options, classifier)
    }

    /// Reads a model and compiles a rewritten form of it, which runs in its place.
    ///
    /// - Parameter rewritten: a model with the same inputs and outputs.
    /// - Throws: as without a rewritten form.
    package convenience init(options: ImageLabelerOptions, running rewritten: Model) throws {
        try self.init(options: options, Classifier(ofPictures: options.model).running(rewritten))
    }

    private init(options: ImageLabelerOptions, _ classifier: Classifier) throws {
        self.options = options
        self.classifier = classifier
        choice = Choice(options, of: classifier)
        pool = try WorkerPool(count: options.workers) { [classifier] in
            try classifier.makeRunner(threads: options.threads)
        }
    }

    /// The part of a picture to label, and the labels to report.
    private struct Choice {
        let filter: LabelFilter
        let fit: ImageFit
        let region: PixelRect?

        init(_ options: ImageLabelerOptions, of classifier: Classifier) {
            filter = LabelFilter(
                thresholds: ClassThresholds(
                    Thresholds.label(options.confidenceThreshold, of: classifier.files),
                    options.confidenceThresholds,
                    of: classifier.names
                ),
                allowed: options.allowedLabels,
                denied: options.deniedLabels,
                maximumCount: options.maximumLabels > 0
                    ? options.maximumLabels : ImageLabelerOptions.defaultMaximumLabels
            )
            fit = classifier.fit(preferred: options.fit)
            region = options.regionOfInterest
        }
    }

    /// The model's files, read.
    package var modelFiles: ModelSummary { ModelSummary(classifier.files) }

    /// The names of the model's outputs in their order, empty for a model without labels; the number of outputs; and the index
    /// of the output for pictures of no class, which is never reported.
    package var classes: (names: [String], count: Int, backgroundIndex: Int?) {
        (classifier.names.names, classifier.head.classCount, classifier.names.backgroundIndex)
    }

    /// The labels of a picture, most confident first.
    ///
    /// - Throws: `ImageError` if the picture cannot be decoded, `OutputError` if the model gives NaN, `InterpreterError` if the
    ///   runtime fails, `CancellationError` if the task is cancelled.
    public func labels(in image: VisionImage) async throws -> [Label] {
        try await result(in: image).labels
    }

    /// The labels of a picture, with the best guess if there are no labels, and the time of each stage.
    ///
    /// - Throws: as for the labels alone.
    public func result(in image: VisionImage) async throws -> LabelingResult {
        try await pool.withWorker { try label(image, by: choice, with: &$0) }
    }

    /// The labels of a picture under its own options, for which the compiled model is used again.
    ///
    /// - Parameter options: other options than the labeler's; their model, ``ImageLabelerOptions/optimizesModel``, `threads` and
    ///   `workers` are not looked at.
    /// - Throws: as for the labels alone.
    package func result(in image: VisionImage, under options: ImageLabelerOptions) async throws -> LabelingResult {
        let choice = Choice(options, of: classifier)
        return try await pool.withWorker { try label(image, by: choice, with: &$0) }
    }

    /// The names that the options of a picture can contain.
    package var labelNames: [String] { classifier.names.reported }

    /// The labels of a picture, computed on the calling thread.
    ///
    /// Blocks while all workers are busy.
    ///
    /// - Throws: as the asynchronous form.
    public func labels(in image: VisionImage) throws -> [Label] {
        try pool.withWorkerBlocking { try label(image, by: choice, with: &$0) }.labels
    }

    /// The labels of a picture file.
    ///
    /// - Throws: `ImageError` if the file cannot be read or decoded, otherwise as for a picture.
    public func labels(in url: URL) async throws -> [Label] {
        try await pool.withWorker { try label(VisionImage(contentsOf: url), by: choice, with: &$0).labels }
    }

    /// The labels of a picture file, computed on the calling thread.
    ///
    /// Blocks while all workers are busy.
    ///
    /// - Throws: as the asynchronous form.
    public func labels(in url: URL) throws -> [Label] {
        try pool.withWorkerBlocking { try label(VisionImage(contentsOf: url), by: choice, with: &$0) }.labels
    }

    /// The labels of many pictures, in the order of the pictures, computed by all workers at once.
    ///
    /// - Throws: the first error; the other pictures are then cancelled.
    public func labels(in images: [VisionImage]) async throws -> [[Label]] {
        try await images.concurrentMap(limit: pool.count) { try await self.labels(in: $0) }
    }

    private func label(
        _ image: VisionImage,
        by choice: Choice,
        with runner: inout ModelRunner
    ) throws -> LabelingResult {
        var clock = StageClock()
        let region = try image.region(choice.region)
        let placement = Placement(region, into: classifier.input.format.size, fit: choice.fit)
        let picture = try clock.measure(\.decoding) { try image.decoded(for: [placement]) }
        try clock.measure(\.preprocessing) { try runner.write(placement, of: picture) }
        try clock.measure(\.inference) { try runner.run() }
        let (labels, guess) = try clock.measure(\.postprocessing) {
            try classifier.head.withScores(of: runner.interpreter, values: &runner.outputs) { scores in
                let labels = choice.filter.labels(from: scores, names: classifier.names)
                return (labels, labels.isEmpty ? choice.filter.best(from: scores, names: classifier.names) : nil)
            }
        }
        return LabelingResult(labels: labels, guess: guess, size: image.size, timings: clock.timings)
    }
}

extension ImageLabelerOptions {
    /// The names that ``allowedLabels``, ``deniedLabels`` and ``confidenceThresholds`` can contain; empty if the model has no
    /// labels.
    ///
    /// Reads the model's files.
    ///
    /// - Throws: `LocalModelError`.
    package func labelNames() throws -> [String] { try Classifier(model).names.reported }
}

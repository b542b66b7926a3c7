import Foundation
import Sightline

/// Measures the quality of a labeler on pictures with known labels.
///
/// ```swift
/// let pictures = try LabeledPictures(contentsOf: URL(filePath: "flowers"))  // or flowers.zip
/// let evaluator = try LabelEvaluator(options: LabelEvaluatorOptions(model: LocalModel(url: flowers)))
/// let report = try await evaluator.evaluate(pictures)
/// print(report.top1, report.overall.best?.threshold ?? 0)
/// ```
public struct LabelEvaluator: Sendable {
    /// The options passed to the initializer.
    public let options: LabelEvaluatorOptions

    let labeler: ImageLabeler
    private let names: LabelNames

    /// The number of labels per picture that count.
    private static let maximumLabels = 20

    /// The names of the labels.
    var labelNames: [String] { names.names }

    /// Reads and compiles the model.
    ///
    /// - Throws: `LocalModelError` if the model's files cannot be used, `RuntimeError` if the LiteRT library is missing or too old,
    ///   `ModelError.rejectedByRuntime(reason:)` if the runtime refuses the model.
    public init(options: LabelEvaluatorOptions = LabelEvaluatorOptions()) throws {
        self.options = options
        var labeling = ImageLabelerOptions(model: options.model)
        labeling.confidenceThreshold = 0
        labeling.maximumLabels = Self.maximumLabels
        labeling.fit = options.fit
        labeling.workers = max(options.workers, 1)
        labeling.optimizesModel = options.optimizesModel
        labeler = try ImageLabeler(options: labeling)
        names = LabelNames(labeler)
    }

    /// Labels all pictures and counts the right answers.
    ///
    /// The report lists pictures that cannot be used. Memory holds a few pictures at a time, and a few hundred bytes
    /// per picture; the report's size is bounded.
    ///
    /// - Parameters:
    ///   - pictures: A folder or an archive.
    ///   - progress: Called after each picture, one call at a time.
    /// - Throws: `EvaluationError.noKnownLabel` if no folder has the name of a label, `CancellationError` if the task
    ///   is canceled, `OutputError` if the model returns NaN.
    public func evaluate(
        _ pictures: LabeledPictures,
        progress: (EvaluationProgress) -> Void = { _ in }
    ) async throws -> LabelReport {
        let start = ContinuousClock.now
        let meanings = try meanings(of: pictures)
        var tally = LabelTally(names: names.names)
        tally.noteUnknown(pictures, meanings)
        let known = pictures.pictures.filter { meanings[$0.folder] != .unknown }
        var state = EvaluationProgress(done: 0, skipped: pictures.skipped.count, total: known.count)
        try await OrderedEvaluation.run(known, workers: options.workers) { picture in
            try await answers(to: picture.path, of: pictures)
        } deliver: { picture, result in
            state.done += 1
            switch result {
            case .success(let answers):
                tally.add(path: picture.path, truth: meanings[picture.folder].label, answers: answers)
            case .failure(let reason):
                state.skipped += 1
                tally.skipped.add(picture.path, reason.description)
            }
            progress(state)
        }
        return tally.report(
            model: EvaluatedModel(labeler.modelFiles),
            source: pictures.name,
            duration: .now - start
        )
    }

    /// The meanings of the label folders.
    ///
    /// - Throws: `EvaluationError.noKnownLabel` if no folder has the name of a label.
    func meanings(of pictures: LabeledPictures) throws(EvaluationError) -> [LabelNames.Meaning] {
        let meanings = pictures.folders.map { names.meaning(of: $0) }
        guard meanings.contains(where: { $0.label != nil }) else {
            throw .noKnownLabel(folders: pictures.folders, labels: names.names)
        }
        return meanings
    }

    private func answers(to path: String, of pictures: LabeledPictures) async throws -> [LabelTally.Answer] {
        answers(try await labeler.labels(in: pictures.files.image(at: path)))
    }

    /// The labels of a picture, each once, most confident first.
    func answers(_ labels: [Label]) -> [LabelTally.Answer] {
        var answers: [LabelTally.Answer] = []
        for found in labels {
            guard let label = names[output: found.index], !answers.contains(where: { $0.label == label }) else {
                continue
            }
            answers.append(LabelTally.Answer(label: label, confidence: found.confidence))
        }
        return answers
    }
}

/// The options of a label evaluation.
public struct LabelEvaluatorOptions: Sendable, Hashable {
    /// The model.
    public var model: LocalModel
    /// The fit of a picture to the model's input, unless the model's sidecar determines it.
    public var fit = ImageFit.crop
    /// The number of pictures that are processed at the same time, each with its own compiled copy of the model. The
    /// default is the number of cores.
    public var workers = ProcessInfo.processInfo.activeProcessorCount
    /// Whether a rewritten, faster form of the model is measured, if there is one.
    public var optimizesModel = false

    /// Creates options with a model and defaults for everything else.
    public init(model: LocalModel = .builtInLabeler) {
        self.model = model
    }
}

import ArgumentParser
import Foundation
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// Evaluates a labeler on labeled pictures, as ``EvaluationWorker`` describes.
struct EvaluateLabelsCommand: EvaluationWorker {
    static let configuration = CommandConfiguration(
        commandName: "evaluate-labels",
        abstract: "Evaluate a model on labeled pictures in a sandbox and report in JSON."
    )

    @OptionGroup var arguments: EvaluationWorkerArguments

    static func evaluator(of model: LocalModel, workers: Int) throws -> LabelEvaluator {
        var options = LabelEvaluatorOptions(model: model)
        options.workers = workers
        return try LabelEvaluator(options: options)
    }

    static func pictures(at url: URL) throws -> LabeledPictures { try LabeledPictures(contentsOf: url) }

    static func report(
        of evaluator: LabelEvaluator,
        named name: String?,
        on pictures: LabeledPictures,
        progress: (EvaluationProgress) -> Void
    ) async throws -> LabelReport {
        var report = try await evaluator.evaluate(pictures, progress: progress)
        if let name { report.model.name = name }
        return report
    }

    static func comparison(
        of evaluator: LabelEvaluator,
        withServed served: LabelEvaluator,
        on pictures: LabeledPictures,
        progress: (EvaluationProgress) -> Void
    ) async throws -> LabelComparison? {
        let comparison = try await evaluator.compare(withEarlier: served, on: pictures, progress: progress)
        return comparison.pictureCount > 0 ? comparison : nil
    }

    static func comparison(
        of evaluator: LabelEvaluator,
        withRewritten rewritten: OptimizedModel,
        on pictures: LabeledPictures,
        progress: (EvaluationProgress) -> Void
    ) async throws -> LabelComparison? {
        let comparison = try await evaluator.compare(with: rewritten, on: pictures, progress: progress)
        return comparison.pictureCount > 0 ? comparison : nil
    }
}

import ArgumentParser
import Foundation
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// Evaluates a detector on pictures with annotations in COCO's format, as ``EvaluationWorker`` describes.
struct EvaluateBoxesCommand: EvaluationWorker {
    static let configuration = CommandConfiguration(
        commandName: "evaluate-boxes",
        abstract: "Evaluate a detector on annotated pictures in a sandbox and report in JSON."
    )

    @OptionGroup var arguments: EvaluationWorkerArguments

    static func evaluator(of model: LocalModel, workers: Int) throws -> BoxEvaluator {
        var options = BoxEvaluatorOptions(model: model)
        options.workers = workers
        return try BoxEvaluator(options: options)
    }

    static func pictures(at url: URL) throws -> AnnotatedPictures { try AnnotatedPictures(contentsOf: url) }

    static func report(
        of evaluator: BoxEvaluator,
        named name: String?,
        on pictures: AnnotatedPictures,
        progress: (EvaluationProgress) -> Void
    ) async throws -> BoxReport {
        var report = try await evaluator.evaluate(pictures, progress: progress)
        if let name { report.model?.name = name }
        return report
    }

    static func comparison(
        of evaluator: BoxEvaluator,
        withServed served: BoxEvaluator,
        on pictures: AnnotatedPictures,
        progress: (EvaluationProgress) -> Void
    ) async throws -> BoxComparison? {
        let comparison = try await evaluator.compare(withEarlier: served, on: pictures, progress: progress)
        return comparison.pictureCount > 0 ? comparison : nil
    }

    static func comparison(
        of evaluator: BoxEvaluator,
        withRewritten rewritten: OptimizedModel,
        on pictures: AnnotatedPictures,
        progress: (EvaluationProgress) -> Void
    ) async throws -> BoxComparison? {
        let comparison = try await evaluator.compare(with: rewritten, on: pictures, progress: progress)
        return comparison.pictureCount > 0 ? comparison : nil
    }
}

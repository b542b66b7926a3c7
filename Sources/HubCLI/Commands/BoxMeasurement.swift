import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation

/// A detector on pictures with annotations in COCO's format.
struct BoxMeasurement: ModelMeasurement {
    static let unit = "objects"

    private let report: BoxReport
    private let pictures: AnnotatedPictures

    var overall: ThresholdCurve { report.overall }

    init(
        of model: LocalModel,
        named name: String,
        on pictures: URL,
        progress: (EvaluationProgress) -> Void
    ) async throws {
        let known = try AnnotatedPictures(contentsOf: pictures)
        let evaluator = try withStandardErrorSilenced {
            try BoxEvaluator(options: BoxEvaluatorOptions(model: model))
        }
        var report = try await evaluator.evaluate(known, progress: progress)
        report.model?.name = name
        self.report = report
        self.pictures = known
    }

    func text(_ choice: ThresholdChoice) -> String { report.text(threshold: choice.threshold) }

    func csv(_ choice: ThresholdChoice) -> String { report.csv(threshold: choice.threshold) }

    func json() throws -> String { try JSONOutput.document(report) }

    func html(_ choice: ThresholdChoice) -> String {
        report.html(pictures: pictures.files, threshold: choice.threshold)
    }
}

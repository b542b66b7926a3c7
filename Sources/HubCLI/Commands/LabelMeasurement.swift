import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation

/// A labeler on a folder or zip archive with a folder of pictures for each label.
struct LabelMeasurement: ModelMeasurement {
    static let unit = "pictures"

    private let report: LabelReport
    private let pictures: LabeledPictures

    var overall: ThresholdCurve { report.overall }

    init(
        of model: LocalModel,
        named name: String,
        on pictures: URL,
        progress: (EvaluationProgress) -> Void
    ) async throws {
        let known = try LabeledPictures(contentsOf: pictures)
        let evaluator = try withStandardErrorSilenced {
            try LabelEvaluator(options: LabelEvaluatorOptions(model: model))
        }
        var report = try await evaluator.evaluate(known, progress: progress)
        report.model.name = name
        self.report = report
        self.pictures = known
    }

    func text(_ choice: ThresholdChoice) -> String { report.text(Self.options(choice)) }

    func csv(_ choice: ThresholdChoice) -> String { report.csv(Self.options(choice)) }

    func json() throws -> String { try JSONOutput.document(report) }

    func html(_ choice: ThresholdChoice) -> String { report.html(pictures: pictures, threshold: choice.threshold) }

    private static func options(_ choice: ThresholdChoice) -> LabelReport.TextOptions {
        var options = LabelReport.TextOptions()
        options.threshold = choice.threshold
        if let precision = choice.precision { options.wantedPrecision = precision }
        return options
    }
}

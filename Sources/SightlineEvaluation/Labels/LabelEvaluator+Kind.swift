import Foundation
import Sightline
import TextFormatting

/// The evaluation of a labeler on pictures in a folder for each label.
extension LabelEvaluator: ModelEvaluator {
    package static let name = "labels"
    package static let task = ModelInspection.Purpose.labeling
    package static let form = EvaluationForm(
        title: "Labeled pictures",
        contents: "A zip archive with a folder of pictures for each label.",
        result:
            "See how precision and recall change with the confidence threshold, and which labels the model confuses."
    )

    package static func scored(_ score: Double) -> String { "\(NumberText.percent(score)) right" }

    package init(model: LocalModel, workers: Int?) throws {
        var options = LabelEvaluatorOptions(model: model)
        if let workers { options.workers = workers }
        try self.init(options: options)
    }
}

extension LabeledPictures: EvaluationPictures {
    package init(at url: URL) throws { try self.init(contentsOf: url) }
}

extension LabelComparison: EvaluationComparison {
    package static let caption = "Right answers, equal answers, time and size of both models"
    package static let help =
        "Right answers are counted on all pictures with a label of one of the versions. Answers are the same if the most confident "
        + "labels have the same name."

    package var isWorse: Bool { candidate.right < baseline.right }

    package var same: (name: String, value: ReportValue) { ("Same answers", .part(sameAnswers, of: pictureCount)) }

    package var summary: String {
        let right = labeledCount > 0 ? Double(baseline.right) / Double(labeledCount) : nil
        let same = NumberText.percent(Double(sameAnswers) / Double(max(pictureCount, 1)))
        return "\(NumberText.percent(right)) right, \(same) the same answers"
    }

    package func figures(of side: Side) -> [(name: String, value: ReportValue)] {
        [("Right answers", .part(side.right, of: labeledCount))]
    }

    package func quality(comparedWith baseline: String) -> String {
        let more = candidate.right - self.baseline.right
        return switch more {
        case 0: "gave as many right answers as \(baseline)"
        case 1...: "gave \(NumberText.grouped(more, "right answer")) more than \(baseline)"
        default: "gave \(NumberText.grouped(-more, "right answer")) fewer than \(baseline)"
        }
    }
}

extension LabelComparison.Side: ComparedModel {}

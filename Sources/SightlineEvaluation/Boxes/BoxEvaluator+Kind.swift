import Foundation
import Sightline
import TextFormatting

/// The evaluation of a detector on pictures with annotations in COCO's format.
extension BoxEvaluator: ModelEvaluator {
    package static let name = "boxes"
    package static let task = ModelInspection.Purpose.detection
    package static let form = EvaluationForm(
        title: "Pictures with boxes",
        contents: "A zip archive with pictures and their annotations in COCO’s format, called annotations.json.",
        result:
            "See AP and AR, how precision and recall change with the confidence threshold, and the pictures with the most mistakes."
    )

    package static func scored(_ score: Double) -> String { "AP \(ReportValue.score(score).pageText)" }

    package init(model: LocalModel, workers: Int?) throws {
        var options = BoxEvaluatorOptions(model: model)
        if let workers { options.workers = workers }
        try self.init(options: options)
    }
}

extension AnnotatedPictures: EvaluationPictures {
    package init(at url: URL) throws { try self.init(contentsOf: url) }
}

extension BoxComparison: EvaluationComparison {
    package static let caption = "Average precision, equal boxes, time and size of both models"
    package static let help =
        "Same boxes: of the boxes with a confidence of at least \(minimumConfidence), those that both models find with the same "
        + "label and an IoU of at least 0.9."

    package var isWorse: Bool { (candidate.ap ?? 0) < (baseline.ap ?? 0) }

    package var same: (name: String, value: ReportValue) { ("Same boxes", .part(sameBoxes, of: boxCount)) }

    package var summary: String {
        let same = NumberText.percent(Double(sameBoxes) / Double(max(boxCount, 1)))
        return "AP \(ReportValue.score(baseline.ap).pageText), \(same) the same boxes"
    }

    package func figures(of side: Side) -> [(name: String, value: ReportValue)] {
        [("AP", .score(side.ap)), ("AP50", .score(side.ap50))]
    }

    package func quality(comparedWith baseline: String) -> String {
        guard let old = self.baseline.ap, let new = candidate.ap else {
            return "found no objects that count, as \(baseline)"
        }
        let difference = NumberText.decimal((new - old).magnitude, 3)
        if Double(difference) == 0 { return "has the same AP as \(baseline)" }
        return "has an AP that is \(difference) \(new > old ? "higher" : "lower") than that of \(baseline)"
    }
}

extension BoxComparison.Side: ComparedModel {
    package var sha256: String { model.sha256 }
    package var byteCount: Int { model.byteCount }
}

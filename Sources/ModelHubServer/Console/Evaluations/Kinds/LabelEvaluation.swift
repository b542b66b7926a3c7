import Foundation
import Sightline
import SightlineEvaluation
import TextFormatting

/// The evaluation of a labeler on pictures in a folder for each label.
struct LabelEvaluation: EvaluationKind {
    let name = "labels"
    let task = ModelInspection.Purpose.labeling
    let command = "evaluate-labels"
    let form = EvaluationForm(
        title: "Labeled pictures",
        contents: "A zip archive with a folder of pictures for each label.",
        result:
            "See how precision and recall change with the confidence threshold, and which labels the model confuses."
    )

    func result(json: Data) throws -> any EvaluationResult {
        let result = try JSONDecoder().decode(LabelEvaluationResult.self, from: json)
        try result.report.check()
        try result.served?.check()
        try result.rewritten?.check()
        return result
    }

    func comparison(json: String) -> (any EvaluationComparison)? {
        try? JSONDecoder().decode(LabelComparison.self, from: Data(json.utf8))
    }

    func scored(_ value: Double) -> String { "\(ConsoleText.percent(value)) right" }
}

/// A line of `sightline-hub evaluate-labels`.
struct LabelEvaluationResult: EvaluationResult, Decodable {
    var report: LabelReport
    var served: LabelComparison?
    var rewritten: LabelComparison?

    var pictureCount: Int { report.pictureCount }
    var score: Double? { report.top1 }
    var servedComparison: (any EvaluationComparison)? { served }
    var rewrittenComparison: (any EvaluationComparison)? { rewritten }
    var bestThreshold: Double? { report.overall.best?.threshold }
    var shownPictures: [String] { [] }
}

extension LabelComparison: EvaluationComparison {
    var candidateHash: String { candidate.sha256 }

    var isWorse: Bool { candidate.right < baseline.right }

    func quality(comparedWith baseline: String) -> String {
        let more = candidate.right - self.baseline.right
        return switch more {
        case 0: "gave as many right answers as \(baseline)"
        case 1...: "gave \(ConsoleText.count(more, "right answer")) more than \(baseline)"
        default: "gave \(ConsoleText.count(-more, "right answer")) fewer than \(baseline)"
        }
    }

    var summary: String {
        let same = ConsoleText.percent(Double(sameAnswers) / Double(max(pictureCount, 1)))
        return "\(ConsoleText.percent(shareRight(baseline))) right, \(same) the same answers"
    }

    func table(_ baseline: String, _ candidate: String) -> ComparisonTable {
        let same = "\(ConsoleText.count(sameAnswers)) of \(ConsoleText.count(pictureCount))"
        func row(_ name: String, _ side: Side, same: String) -> ComparisonTable.Row {
            .init(
                name: name,
                cells: [
                    .init(
                        label: "Right answers",
                        value: "\(ConsoleText.count(side.right)) of \(ConsoleText.count(labeledCount))"
                    ),
                    .init(label: "Same answers", value: same),
                    .init(label: "Milliseconds", value: ConsoleText.decimal(side.milliseconds, 2)),
                    .init(label: "Size", value: NumberText.bytes(side.byteCount)),
                ]
            )
        }
        return ComparisonTable(
            caption: "Right answers, equal answers, time and size of both models",
            help:
                "Right answers are counted on all pictures with a label of one of the versions. Answers are the same if the most confident "
                + "labels have the same name.",
            rows: [row(baseline, self.baseline, same: "–"), row(candidate, self.candidate, same: same)]
        )
    }

    /// The share of labeled pictures with a right answer; nil if no picture has a label.
    private func shareRight(_ side: Side) -> Double? {
        labeledCount > 0 ? Double(side.right) / Double(labeledCount) : nil
    }
}

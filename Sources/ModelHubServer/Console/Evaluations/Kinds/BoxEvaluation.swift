import Foundation
import Sightline
import SightlineEvaluation
import TextFormatting

/// The evaluation of a detector on pictures with annotations in COCO's format.
struct BoxEvaluation: EvaluationKind {
    let name = "boxes"
    let task = ModelInspection.Purpose.detection
    let command = "evaluate-boxes"
    let form = EvaluationForm(
        title: "Pictures with boxes",
        contents: "A zip archive with pictures and their annotations in COCO’s format, called annotations.json.",
        result:
            "See AP and AR, how precision and recall change with the confidence threshold, and the pictures with the most mistakes."
    )

    func result(json: Data) throws -> any EvaluationResult {
        let result = try JSONDecoder().decode(BoxEvaluationResult.self, from: json)
        try result.report.check()
        try result.served?.check()
        try result.rewritten?.check()
        return result
    }

    func comparison(json: String) -> (any EvaluationComparison)? {
        try? JSONDecoder().decode(BoxComparison.self, from: Data(json.utf8))
    }

    func scored(_ value: Double) -> String { "AP \(Self.number(value))" }

    /// A precision or recall, as COCO writes it.
    static func number(_ value: Double?) -> String { value.map { ConsoleText.decimal($0, 3) } ?? "–" }
}

/// A line of `sightline-hub evaluate-boxes`.
struct BoxEvaluationResult: EvaluationResult, Decodable {
    var report: BoxReport
    var served: BoxComparison?
    var rewritten: BoxComparison?

    /// The maximum number of pictures on a page.
    private static let maximumPictures = 24

    var pictureCount: Int { report.pictureCount }
    var score: Double? { (report.summary ?? report.classAgnostic).ap }
    var servedComparison: (any EvaluationComparison)? { served }
    var rewrittenComparison: (any EvaluationComparison)? { rewritten }
    var bestThreshold: Double? { report.bestThreshold }
    var shownPictures: [String] { mistakes.map(\.path) }

    /// The pictures with the most mistakes.
    var mistakes: some Collection<BoxReport.PictureResult> { report.pictures.prefix(Self.maximumPictures) }

    func cell(named name: String) -> EvaluationCell? { nil }
}

extension BoxComparison: EvaluationComparison {
    var candidateHash: String { candidate.model.sha256 }

    var isWorse: Bool { (candidate.ap ?? 0) < (baseline.ap ?? 0) }

    func quality(comparedWith baseline: String) -> String {
        guard let old = self.baseline.ap, let new = candidate.ap else {
            return "found no objects that count, as \(baseline)"
        }
        let difference = ConsoleText.decimal((new - old).magnitude, 3)
        if Double(difference) == 0 { return "has the same AP as \(baseline)" }
        return "has an AP that is \(difference) \(new > old ? "higher" : "lower") than that of \(baseline)"
    }

    var summary: String {
        let same = ConsoleText.percent(Double(sameBoxes) / Double(max(boxCount, 1)))
        return "AP \(BoxEvaluation.number(baseline.ap)), \(same) the same boxes"
    }

    func table(_ baseline: String, _ candidate: String) -> ComparisonTable {
        let same = "\(ConsoleText.count(sameBoxes)) of \(ConsoleText.count(boxCount))"
        func row(_ name: String, _ side: Side, same: String) -> ComparisonTable.Row {
            .init(
                name: name,
                cells: [
                    .init(label: "AP", value: BoxEvaluation.number(side.ap)),
                    .init(label: "AP50", value: BoxEvaluation.number(side.ap50)),
                    .init(label: "Same boxes", value: same),
                    .init(label: "Milliseconds", value: ConsoleText.decimal(side.milliseconds, 2)),
                    .init(label: "Size", value: NumberText.bytes(side.model.byteCount)),
                ]
            )
        }
        return ComparisonTable(
            caption: "Average precision, equal boxes, time and size of both models",
            help:
                "Same boxes: of the boxes with a confidence of at least \(Self.minimumConfidence), those that both models find with the same "
                + "label and an IoU of at least 0.9.",
            rows: [row(baseline, self.baseline, same: "–"), row(candidate, self.candidate, same: same)]
        )
    }
}

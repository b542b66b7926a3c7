import SightlineEvaluation
import TextFormatting

/// A model in a comparison, prepared for a page.
struct ComparisonRow: Sendable {
    var name: String
    var right: String
    var same: String
    var milliseconds: String
    var size: String

    /// The rows of both models.
    ///
    /// - Parameters:
    ///   - baseline: The name of the baseline.
    ///   - candidate: The name of the candidate.
    static func rows(of comparison: LabelComparison, _ baseline: String, _ candidate: String) -> [ComparisonRow] {
        let same = "\(ConsoleText.count(comparison.sameAnswers)) of \(ConsoleText.count(comparison.pictureCount))"
        return [
            ComparisonRow(baseline, comparison.baseline, of: comparison, same: "–"),
            ComparisonRow(candidate, comparison.candidate, of: comparison, same: same),
        ]
    }

    private init(_ name: String, _ side: LabelComparison.Side, of comparison: LabelComparison, same: String) {
        self.name = name
        self.same = same
        right = ConsoleText.percent(comparison.shareRight(side))
        milliseconds = ConsoleText.decimal(side.milliseconds, 2)
        size = NumberText.bytes(side.byteCount)
    }
}

extension LabelComparison {
    /// The share of labeled pictures with a right answer; nil if no picture has a label.
    func shareRight(_ side: Side) -> Double? { labeledCount > 0 ? Double(side.right) / Double(labeledCount) : nil }
}

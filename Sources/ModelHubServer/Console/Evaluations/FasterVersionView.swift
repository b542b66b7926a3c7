import SightlineEvaluation
import TextFormatting

/// A model and its faster form on the same pictures, prepared for an evaluation's page.
struct FasterVersionView: Sendable {
    struct Row: Sendable {
        var name: String
        var right: String
        var same: String
        var milliseconds: String
        var size: String
    }

    var summary: String
    var rewrites: [String]
    var rows: [Row]
    /// The state of the faster form: why it is not offered, or that it is served.
    var note: String
    var hasNote: Bool
    var isOffered: Bool

    init(_ comparison: LabelComparison, of evaluation: EvaluationRecord, _ model: ModelRecord) {
        let pictures = ConsoleText.count(comparison.pictureCount, "picture")
        summary =
            "This version can be rewritten. On the hub’s machine, the rewritten form runs "
            + "\(ConsoleText.decimal(comparison.speedup, 2)) times as fast. Both forms labeled the same \(pictures)."
        rewrites = comparison.rewrites
        rows = [
            Row(
                "Version \(evaluation.version)",
                comparison.original,
                of: comparison,
                same: "–"
            ),
            Row(
                "Faster version",
                comparison.rewritten,
                of: comparison,
                same: "\(ConsoleText.count(comparison.sameAnswers)) of \(ConsoleText.count(comparison.pictureCount))"
            ),
        ]
        let isServed = model.file?.hash.text == comparison.rewritten.sha256
        isOffered = !isServed && model.file?.version == evaluation.version
        note =
            if isServed {
                "The hub serves the faster version as version \(model.file?.version ?? 0)."
            } else if isOffered {
                ""
            } else {
                "The hub serves another version now. Serve version \(evaluation.version) again to be offered the faster version."
            }
        hasNote = !note.isEmpty
    }
}

extension FasterVersionView.Row {
    fileprivate init(
        _ name: String,
        _ side: LabelComparison.Side,
        of comparison: LabelComparison,
        same: String
    ) {
        self.name = name
        self.same = same
        right =
            comparison.labeledCount > 0
            ? ConsoleText.percent(Double(side.right) / Double(comparison.labeledCount)) : "–"
        milliseconds = ConsoleText.decimal(side.milliseconds, 2)
        size = NumberText.bytes(side.byteCount)
    }
}

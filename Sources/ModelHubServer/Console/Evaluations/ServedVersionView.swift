import SightlineEvaluation

/// An evaluated version and the version that was served, prepared for an evaluation's page.
struct ServedVersionView: Sendable {
    var summary: String
    var rows: [ComparisonRow]
    var hasRows: Bool
    /// Whether the page offers to serve the evaluated version.
    var isOffered: Bool

    /// Nil if the evaluation does not compare with another version.
    init?(_ evaluation: EvaluationRecord, _ model: ModelRecord) {
        guard let served = evaluation.served, evaluation.state == .done else { return nil }
        isOffered = model.file?.version != evaluation.version
        guard let comparison = evaluation.comparison else {
            summary =
                "This version could not be compared with version \(served.number), which was served: that version does not label these "
                + "pictures, or the comparison took too long."
            (rows, hasRows) = ([], false)
            return
        }
        let pictures = ConsoleText.count(comparison.pictureCount, "picture")
        let more = comparison.candidate.right - comparison.baseline.right
        let quality =
            switch more {
            case 0: "as many right answers as"
            case 1...: "\(ConsoleText.count(more, "right answer")) more than"
            default: "\(ConsoleText.count(-more, "right answer")) fewer than"
            }
        summary =
            "Both versions labeled the same \(pictures). Version \(evaluation.version) gave \(quality) version \(served.number), which was "
            + "served, and runs \(ConsoleText.decimal(comparison.speedup, 2)) times as fast."
        rows = ComparisonRow.rows(of: comparison, "Version \(served.number)", "Version \(evaluation.version)")
        hasRows = true
    }
}

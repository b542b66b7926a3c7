import TextFormatting

/// An evaluated version and the version that was served, prepared for an evaluation's page.
struct ServedVersionView: Sendable {
    var summary: String
    /// Nil if the versions could not be compared. Its name differs from that of the report's own table, which the template
    /// would show instead.
    var compared: ComparisonTable?
    /// Whether the page offers to serve the evaluated version.
    var isOffered: Bool
    /// Whether the evaluated version answered worse.
    var isWorse: Bool

    /// Nil if the evaluation does not compare with another version.
    init?(_ evaluation: EvaluationRecord, _ model: ModelRecord) {
        guard let served = evaluation.served, evaluation.state == .done else { return nil }
        isOffered = model.file?.version != evaluation.version
        let found = evaluation.storedComparison
        isWorse = found?.isWorse ?? false
        compared = found.map { ComparisonTable($0, "Version \(served.number)", "Version \(evaluation.version)") }
        guard let comparison = found else {
            summary =
                "This version could not be compared with version \(served.number), which was served: that version has another task or "
                + "other labels, or the comparison took too long."
            return
        }
        summary =
            "Both versions ran on the same \(NumberText.grouped(comparison.pictureCount, "picture")). Version \(evaluation.version) "
            + "\(comparison.quality(comparedWith: "version \(served.number)")), which was served, and runs "
            + "\(NumberText.decimal(comparison.speedup, 2)) times as fast."
    }
}

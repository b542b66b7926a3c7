import SightlineEvaluation
import TextFormatting

/// A model and its faster form on the same pictures, prepared for an evaluation's page.
struct FasterVersionView: Sendable {
    var summary: String
    var rewrites: [String]
    var table: ComparisonTable
    /// The reason why the faster form is not offered, for example that it is served; nil if it is offered.
    var note: String?
    var isOffered: Bool

    init(_ comparison: any EvaluationComparison, of evaluation: EvaluationRecord, _ model: ModelRecord) {
        let pictures = NumberText.grouped(comparison.pictureCount, "picture")
        summary =
            "This version can be rewritten. On the hub’s machine, the rewritten form runs "
            + "\(NumberText.decimal(comparison.speedup, 2)) times as fast. Both forms ran on the same \(pictures)."
        rewrites = comparison.rewrites
        table = ComparisonTable(comparison, "Version \(evaluation.version)", "Faster version")
        let isServed = model.file?.hash.text == comparison.candidate.sha256
        isOffered = !isServed && model.file?.version == evaluation.version
        note =
            if isServed {
                "The hub serves the faster version as version \(model.file?.version ?? 0)."
            } else if isOffered {
                nil
            } else {
                "The hub serves another version now. Serve version \(evaluation.version) again to be offered the faster version."
            }
    }
}

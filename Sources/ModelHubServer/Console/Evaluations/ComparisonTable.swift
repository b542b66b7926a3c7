import SightlineEvaluation
import TextFormatting

/// Two models beside each other, prepared for a page.
struct ComparisonTable: Sendable {
    struct Cell: Sendable {
        var label: String
        var value: String
    }

    struct Row: Sendable {
        var name: String
        var cells: [Cell]
    }

    var caption: String
    /// When answers are equal.
    var help: String
    var columns: [String]
    var rows: [Row]

    init(_ comparison: some EvaluationComparison, _ baseline: String, _ candidate: String) {
        let kind = type(of: comparison)
        (caption, help) = (kind.caption, kind.help)
        let (same, value) = comparison.same
        let sides = [(baseline, comparison.baseline, "–"), (candidate, comparison.candidate, value.pageText)]
        rows = sides.map { name, side, equal in
            Row(
                name: name,
                cells: comparison.figures(of: side).map { Cell(label: $0.name, value: $0.value.pageText) } + [
                    Cell(label: same, value: equal),
                    Cell(label: "Milliseconds", value: NumberText.decimal(side.milliseconds, 2)),
                    Cell(label: "Size", value: NumberText.bytes(side.byteCount)),
                ]
            )
        }
        columns = rows.first?.cells.map(\.label) ?? []
    }
}

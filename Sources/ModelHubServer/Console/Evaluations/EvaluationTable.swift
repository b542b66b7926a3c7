import SightlineEvaluation
import TextFormatting

/// The results for each label at a threshold: a page of a table.
struct EvaluationTable: Sendable {
    struct Row: Sendable {
        var name: String
        var cells: [ComparisonTable.Cell]
        var precision: String
        var recall: String
        var f1: String
        /// The curve in JSON, for the slider.
        var curve: String
    }

    var title: String
    /// The name of the first column.
    var noun: String
    var columns: [String]
    var rows: [Row]
    var summary: String
    var previous: String?
    var next: String?

    private static let rowsOfPage = 40

    init(_ choice: EvaluationChoice, _ classes: ReportClasses) {
        (title, noun, columns) = (classes.title, classes.noun, classes.columns)
        let labels = classes.rows
        let first = min(max(choice.page - 1, 0) * Self.rowsOfPage, labels.count)
        let last = min(first + Self.rowsOfPage, labels.count)
        rows = labels[first..<last].map { label in
            let point = label.curve.point(at: choice.threshold)
            return Row(
                name: label.name,
                cells: zip(classes.columns, label.values).map { .init(label: $0, value: $1.pageText) },
                precision: NumberText.percent(point.precision),
                recall: NumberText.percent(point.recall),
                f1: NumberText.percent(point.f1),
                curve: ThresholdChart.json(label.curve)
            )
        }
        summary =
            labels.count > Self.rowsOfPage
            ? " \(title) \(first + 1) to \(last) of \(NumberText.grouped(labels.count))." : ""
        let label = choice.label.map { "\($0)" } ?? ""
        let query = "threshold=\(NumberText.decimal(choice.threshold, 2))&label=\(label)&labels="
        previous = first > 0 ? "\(choice.path)?\(query)\(choice.page - 1)#labels" : nil
        next = last < labels.count ? "\(choice.path)?\(query)\(choice.page + 1)#labels" : nil
    }
}

import SightlineEvaluation

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
    var previous: String
    var next: String
    var hasPrevious: Bool
    var hasNext: Bool

    private static let rowsOfPage = 40

    /// - Parameters:
    ///   - title: The name of all rows, for example `Labels`.
    ///   - columns: The names of the columns before precision, recall and F1.
    ///   - row: The name, the values of the columns, and the curve of a label.
    init<Label>(
        _ choice: EvaluationChoice,
        _ title: String,
        _ noun: String,
        columns: [String],
        _ labels: [Label],
        row: (Label) -> (name: String, values: [String], curve: ThresholdCurve)
    ) {
        self.title = title
        self.noun = noun
        self.columns = columns
        let first = min(max(choice.page - 1, 0) * Self.rowsOfPage, labels.count)
        let last = min(first + Self.rowsOfPage, labels.count)
        rows = labels[first..<last].map { label in
            let (name, values, curve) = row(label)
            let point = curve.point(at: choice.threshold)
            return Row(
                name: name,
                cells: zip(columns, values).map { ComparisonTable.Cell(label: $0, value: $1) },
                precision: ConsoleText.percent(point.precision),
                recall: ConsoleText.percent(point.recall),
                f1: ConsoleText.percent(point.f1),
                curve: ThresholdChart.json(curve)
            )
        }
        summary =
            labels.count > Self.rowsOfPage
            ? " \(title) \(first + 1) to \(last) of \(ConsoleText.count(labels.count))." : ""
        let label = choice.label.map { "\($0)" } ?? ""
        let query = "threshold=\(ConsoleText.decimal(choice.threshold, 2))&label=\(label)&labels="
        previous = "\(choice.path)?\(query)\(choice.page - 1)#labels"
        next = "\(choice.path)?\(query)\(choice.page + 1)#labels"
        hasPrevious = first > 0
        hasNext = last < labels.count
    }
}

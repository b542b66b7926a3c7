import SightlineEvaluation

/// A confusion matrix, prepared for its page.
struct ConfusionMatrixView: Sendable {
    struct Cell: Sendable {
        var count: String
        var path: String
        var hasPictures: Bool
        /// The share of the row, from 0 to 5, for the cell's color.
        var heat: Int
        var isRight: Bool
        var title: String
    }

    struct Line: Sendable {
        var name: String
        var cells: [Cell]
    }

    /// A frequent mistake.
    struct Confusion: Sendable {
        var truth: String
        var answer: String
        var count: String
        var path: String
    }

    var columns: [String]
    var lines: [Line]

    /// The maximum number of labels for a readable matrix.
    static let maximumLabels = 15

    /// The name of a cell's page: `2-none` for pictures of the third label without an answer.
    static func cellName(_ cell: LabelReport.ConfusionCell) -> String {
        "\(cell.truth.map { "\($0)" } ?? "none")-\(cell.answer.map { "\($0)" } ?? "none")"
    }

    static func name(_ label: Int?, in report: LabelReport, otherwise text: String) -> String {
        guard let label, report.labels.indices.contains(label) else { return text }
        return report.labels[label].name
    }

    init(_ report: LabelReport, _ path: String) {
        let hasUnlabeled = report.confusion.contains { $0.truth == nil }
        let hasUnanswered = report.confusion.contains { $0.answer == nil }
        let truths: [Int?] = report.labels.indices.map { $0 } + (hasUnlabeled ? [nil] : [])
        let answers: [Int?] = report.labels.indices.map { $0 } + (hasUnanswered ? [nil] : [])
        lines = truths.map { truth in
            let cells = report.confusion.filter { $0.truth == truth }
            let sum = cells.reduce(0) { $0 + $1.count }
            let name = Self.name(truth, in: report, otherwise: "No label")
            return Line(
                name: name,
                cells: answers.map { answer in
                    let cell = cells.first { $0.answer == answer }
                    let count = cell?.count ?? 0
                    let answerName = Self.name(answer, in: report, otherwise: "no answer")
                    return Cell(
                        count: count == 0 ? "" : ConsoleText.count(count),
                        path: cell.map { "\(path)/cells/\(Self.cellName($0))" } ?? "",
                        hasPictures: count > 0,
                        heat: count == 0 ? 0 : min(5, 1 + count * 4 / max(sum, 1)),
                        isRight: truth == answer,
                        title: "\(ConsoleText.count(count, "picture")) of \(name) mistaken for \(answerName)"
                    )
                }
            )
        }
        columns = answers.map { Self.name($0, in: report, otherwise: "No answer") }
    }

    /// The most frequent mistakes.
    static func confusions(_ report: LabelReport, _ path: String) -> [Confusion] {
        report.confusion.filter { $0.truth != $0.answer }.prefix(20).map { cell in
            Confusion(
                truth: name(cell.truth, in: report, otherwise: "No label"),
                answer: name(cell.answer, in: report, otherwise: "no answer"),
                count: ConsoleText.count(cell.count),
                path: "\(path)/cells/\(cellName(cell))"
            )
        }
    }
}

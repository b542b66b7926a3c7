import SightlineEvaluation
import TextFormatting

/// A confusion matrix, prepared for its page.
struct ConfusionMatrixView: Sendable {
    struct Cell: Sendable {
        /// Empty if there are no pictures.
        var count: String
        var path: String
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
    private static func cellName(_ cell: LabelReport.ConfusionCell) -> String {
        "\(cell.truth.map { "\($0)" } ?? "none")-\(cell.answer.map { "\($0)" } ?? "none")"
    }

    private static func truth(_ cell: LabelReport.ConfusionCell, _ names: [String]) -> String {
        name(cell.truth, names, otherwise: "No label")
    }

    private static func answer(_ cell: LabelReport.ConfusionCell, _ names: [String]) -> String {
        name(cell.answer, names, otherwise: "no answer")
    }

    private static func name(_ label: Int?, _ names: [String], otherwise text: String) -> String {
        guard let label, names.indices.contains(label) else { return text }
        return names[label]
    }

    /// - Parameters:
    ///   - confusion: The answers for the pictures of each label.
    ///   - names: The names of the labels.
    ///   - path: The evaluation's page.
    init(_ confusion: [LabelReport.ConfusionCell], of names: [String], _ path: String) {
        let hasUnlabeled = confusion.contains { $0.truth == nil }
        let hasUnanswered = confusion.contains { $0.answer == nil }
        let truths: [Int?] = names.indices.map { $0 } + (hasUnlabeled ? [nil] : [])
        let answers: [Int?] = names.indices.map { $0 } + (hasUnanswered ? [nil] : [])
        lines = truths.map { truth in
            let cells = confusion.filter { $0.truth == truth }
            let sum = cells.reduce(0) { $0 + $1.count }
            let name = Self.name(truth, names, otherwise: "No label")
            return Line(
                name: name,
                cells: answers.map { answer in
                    let cell = cells.first { $0.answer == answer }
                    let count = cell?.count ?? 0
                    let answerName = Self.name(answer, names, otherwise: "no answer")
                    return Cell(
                        count: count == 0 ? "" : NumberText.grouped(count),
                        path: cell.map { "\(path)/cells/\(Self.cellName($0))" } ?? "",
                        heat: count == 0 ? 0 : min(5, 1 + count * 4 / max(sum, 1)),
                        isRight: truth == answer,
                        title: "\(NumberText.grouped(count, "picture")) of \(name) mistaken for \(answerName)"
                    )
                }
            )
        }
        columns = answers.map { Self.name($0, names, otherwise: "No answer") }
    }

    /// The most frequent mistakes.
    static func confusions(_ cells: [LabelReport.ConfusionCell], of names: [String], _ path: String) -> [Confusion] {
        cells.filter { $0.truth != $0.answer }.prefix(20).map { cell in
            Confusion(
                truth: truth(cell, names),
                answer: answer(cell, names),
                count: NumberText.grouped(cell.count),
                path: "\(path)/cells/\(cellName(cell))"
            )
        }
    }

    /// The pictures in a cell, by the name of its page; nil if there are none.
    static func cell(named name: String, of report: any EvaluationReport) -> EvaluationCell? {
        guard let cell = report.confusionCells?.first(where: { cellName($0) == name }) else { return nil }
        let names = report.classes.rows.map(\.name)
        let truth = truth(cell, names)
        return EvaluationCell(
            title: cell.truth == cell.answer ? "\(truth), recognized" : "\(truth), mistaken for \(answer(cell, names))",
            count: cell.count,
            pictures: cell.pictures.map { ($0.path, Double($0.confidence)) }
        )
    }
}

/// Pictures with a certain label and a certain answer.
struct EvaluationCell: Sendable {
    var title: String
    /// The number of all such pictures.
    var count: Int
    /// The paths and confidences of the most confident, most confident first.
    var pictures: [(path: String, confidence: Double)]
}

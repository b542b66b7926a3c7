import Foundation
import SightlineEvaluation

/// An evaluation's report at a threshold, prepared for its page.
struct EvaluationView: Sendable {
    struct Figure: Sendable {
        var name: String
        var value: String
        var help: String
    }

    struct Choice: Sendable {
        var value: String
        var title: String
        var isChosen: Bool
    }

    struct Row: Sendable {
        var name: String
        var pictures: String
        var averagePrecision: String
        var precision: String
        var recall: String
        var f1: String
        /// The curve in JSON, for the slider.
        var curve: String
    }

    struct Matrix: Sendable {
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

        var columns: [String]
        var lines: [Line]
    }

    struct Confusion: Sendable {
        var truth: String
        var answer: String
        var count: String
        var path: String
    }

    struct Skipped: Sendable {
        var path: String
        var reason: String
    }

    var path: String
    var figures: [Figure]
    var threshold: String
    var choices: [Choice]
    var label: String
    var precision: String
    var recall: String
    var f1: String
    var answers: String
    var best: String
    var hasBest: Bool
    var chart: ThresholdChart
    var rows: [Row]
    var rowSummary: String
    var previousRows: String
    var nextRows: String
    var hasPreviousRows: Bool
    var hasNextRows: Bool
    var matrix: Matrix?
    var confusions: [Confusion]
    var hasConfusions: Bool
    var skipped: [Skipped]
    var hasSkipped: Bool
    var skippedText: String
    var unknownFolders: String
    var hasUnknownFolders: Bool

    private static let rowsOfPage = 100
    /// The maximum number of labels for a readable matrix.
    private static let maximumMatrix = 15

    /// - Parameters:
    ///   - path: The evaluation's page.
    ///   - label: The position of the label whose curve is shown; nil for all labels together.
    init(_ report: LabelReport, path: String, threshold: Double, label: Int?, page: Int) {
        self.path = path
        let shown = label.flatMap { report.labels.indices.contains($0) ? $0 : nil }
        let curve = shown.map { report.labels[$0].curve } ?? report.overall
        let point = curve.point(at: threshold)
        self.threshold = ConsoleText.decimal(point.threshold, 2)
        self.label = shown.map { "\($0)" } ?? ""
        figures = Self.figures(report)
        choices =
            [Choice(value: "", title: "All labels together", isChosen: shown == nil)]
            + report.labels.prefix(1000).enumerated().map { index, result in
                Choice(value: "\(index)", title: result.name, isChosen: index == shown)
            }
        precision = ConsoleText.percent(point.precision)
        recall = ConsoleText.percent(point.recall)
        f1 = ConsoleText.percent(point.f1)
        answers = "\(ConsoleText.count(point.right)) of \(ConsoleText.count(point.answers, "answer")) right"
        best = curve.best.map { ConsoleText.decimal($0.threshold, 2) } ?? ""
        hasBest = curve.best != nil
        chart = ThresholdChart(curve, at: point.threshold)
        let first = min(max(page - 1, 0) * Self.rowsOfPage, report.labels.count)
        let last = min(first + Self.rowsOfPage, report.labels.count)
        rows = report.labels[first..<last].map { Self.row($0, point.threshold) }
        rowSummary =
            report.labels.count > Self.rowsOfPage
            ? " Labels \(first + 1) to \(last) of \(ConsoleText.count(report.labels.count))." : ""
        let query = "threshold=\(self.threshold)&label=\(self.label)&labels="
        previousRows = "\(path)?\(query)\(page - 1)#labels"
        nextRows = "\(path)?\(query)\(page + 1)#labels"
        hasPreviousRows = first > 0
        hasNextRows = last < report.labels.count
        matrix = report.labels.count <= Self.maximumMatrix ? Self.matrix(report, path) : nil
        confusions = Self.confusions(report, path)
        hasConfusions = !confusions.isEmpty
        skipped = report.skipped.pictures.map { Skipped(path: $0.path, reason: $0.reason) }
        hasSkipped = report.skipped.count > 0
        skippedText = "\(ConsoleText.count(report.skipped.count, "file")) could not be used"
        unknownFolders = report.unknownFolders.sentence ?? ""
        hasUnknownFolders = report.unknownFolders.count > 0
    }

    private static func figures(_ report: LabelReport) -> [Figure] {
        [
            .init(
                name: "Right answers",
                value: ConsoleText.percent(report.top1),
                help: "The most confident label is the picture’s (top-1)"
            ),
            .init(
                name: "Among the first five",
                value: ConsoleText.percent(report.top5),
                help: "The picture’s label is one of the five most confident (top-5)"
            ),
            .init(
                name: "Average precision",
                value: ConsoleText.percent(report.meanAveragePrecision),
                help: "Area under the precision-recall curve, mean of all labels"
            ),
            .init(
                name: "Calibration error",
                value: ConsoleText.percent(report.calibrationError),
                help: "The mean difference between confidence and the share of right answers"
            ),
            .init(
                name: "Pictures",
                value: ConsoleText.count(report.pictureCount),
                help: "\(ConsoleText.decimal(report.picturesPerSecond, 0)) per second"
            ),
        ]
    }

    private static func row(_ result: LabelReport.LabelResult, _ threshold: Double) -> Row {
        let point = result.curve.point(at: threshold)
        return Row(
            name: result.name,
            pictures: ConsoleText.count(result.pictureCount),
            averagePrecision: ConsoleText.percent(result.averagePrecision),
            precision: ConsoleText.percent(point.precision),
            recall: ConsoleText.percent(point.recall),
            f1: ConsoleText.percent(point.f1),
            curve: ThresholdChart.json(result.curve)
        )
    }

    /// The name of a cell's page: `2-none` for pictures of the third label without an answer.
    static func cellName(_ cell: LabelReport.ConfusionCell) -> String {
        "\(cell.truth.map { "\($0)" } ?? "none")-\(cell.answer.map { "\($0)" } ?? "none")"
    }

    static func name(_ label: Int?, in report: LabelReport, otherwise text: String) -> String {
        guard let label, report.labels.indices.contains(label) else { return text }
        return report.labels[label].name
    }

    private static func matrix(_ report: LabelReport, _ path: String) -> Matrix {
        let hasUnlabeled = report.confusion.contains { $0.truth == nil }
        let hasUnanswered = report.confusion.contains { $0.answer == nil }
        let truths: [Int?] = report.labels.indices.map { $0 } + (hasUnlabeled ? [nil] : [])
        let answers: [Int?] = report.labels.indices.map { $0 } + (hasUnanswered ? [nil] : [])
        let lines = truths.map { truth in
            let cells = report.confusion.filter { $0.truth == truth }
            let sum = cells.reduce(0) { $0 + $1.count }
            let name = name(truth, in: report, otherwise: "No label")
            return Matrix.Line(
                name: name,
                cells: answers.map { answer in
                    let cell = cells.first { $0.answer == answer }
                    let count = cell?.count ?? 0
                    let answerName = Self.name(answer, in: report, otherwise: "no answer")
                    return Matrix.Cell(
                        count: count == 0 ? "" : ConsoleText.count(count),
                        path: cell.map { "\(path)/cells/\(cellName($0))" } ?? "",
                        hasPictures: count > 0,
                        heat: count == 0 ? 0 : min(5, 1 + count * 4 / max(sum, 1)),
                        isRight: truth == answer,
                        title: "\(ConsoleText.count(count, "picture")) of \(name) mistaken for \(answerName)"
                    )
                }
            )
        }
        return Matrix(columns: answers.map { Self.name($0, in: report, otherwise: "No answer") }, lines: lines)
    }

    private static func confusions(_ report: LabelReport, _ path: String) -> [Confusion] {
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

/// Precision and recall by threshold, as lines of a chart.
struct ThresholdChart: Sendable {
    struct Line: Sendable {
        var position: String
        var text: String
    }

    /// Lines through points, in the format of SVG's `points`.
    var precision: String
    var recall: String
    var horizontal: [Line]
    var vertical: [Line]
    var marker: String
    /// The curve in JSON, for the slider.
    var curve: String
    /// The contents of the chart in words.
    var summary: String

    /// The area of the lines in the chart's units; the script uses the same numbers.
    private static let (left, top, width, height) = (44.0, 12.0, 580.0, 240.0)

    init(_ curve: ThresholdCurve, at threshold: Double) {
        func x(_ value: Double) -> String { ConsoleText.decimal(Self.left + value * Self.width, 1) }
        func y(_ value: Double) -> String { ConsoleText.decimal(Self.top + (1 - value) * Self.height, 1) }
        let points = curve.points
        precision = points.compactMap { point in point.precision.map { "\(x(point.threshold)),\(y($0))" } }
            .joined(separator: " ")
        recall = points.compactMap { point in point.recall.map { "\(x(point.threshold)),\(y($0))" } }
            .joined(separator: " ")
        let ticks = [0, 0.25, 0.5, 0.75, 1]
        horizontal = ticks.map { Line(position: y($0), text: "\(Int($0 * 100)) %") }
        vertical = ticks.map { Line(position: x($0), text: ConsoleText.decimal($0, 2)) }
        marker = x(threshold)
        self.curve = Self.json(curve)
        let samples = [0, 0.25, 0.5, 0.75].map { threshold in
            let point = curve.point(at: threshold)
            return "at \(ConsoleText.decimal(threshold, 2)) precision \(ConsoleText.percent(point.precision)), recall "
                + ConsoleText.percent(point.recall)
        }
        summary = "Precision and recall by confidence threshold: " + samples.joined(separator: "; ") + "."
    }

    /// A curve for the script: `{"wanted": …, "steps": [[threshold in hundredths, answers, right], …]}`.
    static func json(_ curve: ThresholdCurve) -> String {
        (try? JSONEncoder().encode(curve)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

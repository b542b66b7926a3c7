import SightlineEvaluation
import TextFormatting

/// The part of a report that a page shows.
struct EvaluationChoice: Sendable {
    /// The evaluation's page.
    var path: String
    var threshold: Double
    /// The position of the label whose curve is shown; nil for all labels together.
    var label: Int?
    /// The page of the table of labels, from 1.
    var page: Int
    /// The names of the thumbnails that can be shown.
    var thumbnails: Set<String>
}

/// An evaluation's report at a threshold, prepared for its page.
struct EvaluationView: Sendable {
    struct Figure: Sendable {
        var name: String
        var value: String
        var help: String
    }

    var path: String
    var figures: [Figure]
    var curve: EvaluationCurveView
    var table: EvaluationTable
    /// Nil if the report has no confusion matrix, or too many labels for a readable one.
    var matrix: ConfusionMatrixView?
    /// The most frequent mistakes, if they are not in a matrix.
    var confusions: [ConfusionMatrixView.Confusion] = []
    var gallery: BoxGallery?
    var skipped: [SkippedPictures.Picture]
    var skippedText: String
    /// The labels that the pictures and the model do not share; nil if they share all.
    var warning: String?

    init(_ report: any EvaluationReport, _ choice: EvaluationChoice) {
        path = choice.path
        figures = report.figures(at: choice.threshold).compactMap { figure in
            figure.console.map { Figure(name: $0.name, value: figure.value.pageText, help: $0.note) }
        }
        let classes = report.classes
        curve = EvaluationCurveView(choice, overall: report.overall, classes)
        table = EvaluationTable(choice, classes)
        if let cells = report.confusionCells {
            let names = classes.rows.map(\.name)
            if names.count <= ConfusionMatrixView.maximumLabels {
                matrix = ConfusionMatrixView(cells, of: names, choice.path)
            } else {
                confusions = ConfusionMatrixView.confusions(cells, of: names, choice.path)
            }
        }
        if let pictures = report.boxPictures {
            gallery = BoxGallery(pictures, choice, threshold: report.overall.best?.threshold ?? 0.5)
        }
        skipped = report.skipped.pictures
        skippedText = "\(NumberText.grouped(report.skipped.count, "file")) could not be used"
        warning = report.warning
    }
}

/// Precision and recall by threshold, and the label that is shown.
struct EvaluationCurveView: Sendable {
    struct Choice: Sendable {
        var value: String
        var title: String
        var isChosen: Bool
    }

    var choices: [Choice]
    var label: String
    var threshold: String
    var precision: String
    var recall: String
    var f1: String
    var answers: String
    var best: String?
    var chart: ThresholdChart
    /// The whole of which recall is the share.
    var recallHelp: String

    /// The maximum number of labels in the menu.
    private static let maximumChoices = 1000

    /// - Parameters:
    ///   - overall: The curve of all labels together.
    ///   - classes: The labels.
    init(_ choice: EvaluationChoice, overall: ThresholdCurve, _ classes: ReportClasses) {
        let labels = classes.rows
        let shown = choice.label.flatMap { labels.indices.contains($0) ? $0 : nil }
        let curve = shown.map { labels[$0].curve } ?? overall
        let point = curve.point(at: choice.threshold)
        threshold = NumberText.decimal(point.threshold, 2)
        label = shown.map { "\($0)" } ?? ""
        choices =
            [Choice(value: "", title: classes.together, isChosen: shown == nil)]
            + labels.prefix(Self.maximumChoices).enumerated().map { index, label in
                Choice(value: "\(index)", title: label.name, isChosen: index == shown)
            }
        precision = NumberText.percent(point.precision)
        recall = NumberText.percent(point.recall)
        f1 = NumberText.percent(point.f1)
        answers = "\(NumberText.grouped(point.right)) of \(NumberText.grouped(point.answers, "answer")) right"
        best = curve.best.map { NumberText.decimal($0.threshold, 2) }
        chart = ThresholdChart(curve, at: point.threshold)
        recallHelp = classes.recall
    }
}

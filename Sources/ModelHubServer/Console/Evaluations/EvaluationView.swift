import SightlineEvaluation

/// An evaluation's report at a threshold, prepared for its page. A kind of evaluation fills the parts that it has.
struct EvaluationView: Sendable {
    struct Figure: Sendable {
        var name: String
        var value: String
        var help: String
    }

    struct Skipped: Sendable {
        var path: String
        var reason: String
    }

    var path: String
    var figures: [Figure]
    var curve: EvaluationCurveView
    var table: EvaluationTable
    var matrix: ConfusionMatrixView?
    var confusions: [ConfusionMatrixView.Confusion] = [] { didSet { hasConfusions = !confusions.isEmpty } }
    private(set) var hasConfusions = false
    var gallery: BoxGallery?
    var skipped: [Skipped]
    var hasSkipped: Bool
    var skippedText: String
    /// The labels that the pictures and the model do not share.
    var warning: String
    var hasWarning: Bool

    init(
        _ choice: EvaluationChoice,
        figures: [Figure],
        curve: EvaluationCurveView,
        table: EvaluationTable,
        skipped: SkippedPictures,
        warning: String?
    ) {
        path = choice.path
        self.figures = figures
        self.curve = curve
        self.table = table
        self.skipped = skipped.pictures.map { Skipped(path: $0.path, reason: $0.reason) }
        hasSkipped = skipped.count > 0
        skippedText = skipped.count > 0 ? "\(ConsoleText.count(skipped.count, "file")) could not be used" : ""
        self.warning = warning ?? ""
        hasWarning = warning != nil
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
    var best: String
    var hasBest: Bool
    var chart: ThresholdChart
    /// The whole of which recall is the share.
    var recallHelp: String

    /// The maximum number of labels in the menu.
    private static let maximumChoices = 1000

    /// - Parameters:
    ///   - overall: The curve of all labels together.
    ///   - labels: The names and curves of the labels.
    ///   - all: The name of all labels together.
    init(
        _ choice: EvaluationChoice,
        overall: ThresholdCurve,
        labels: [(name: String, curve: ThresholdCurve)],
        all: String,
        recallHelp: String
    ) {
        let shown = choice.label.flatMap { labels.indices.contains($0) ? $0 : nil }
        let curve = shown.map { labels[$0].curve } ?? overall
        let point = curve.point(at: choice.threshold)
        threshold = ConsoleText.decimal(point.threshold, 2)
        label = shown.map { "\($0)" } ?? ""
        choices =
            [Choice(value: "", title: all, isChosen: shown == nil)]
            + labels.prefix(Self.maximumChoices).enumerated().map { index, label in
                Choice(value: "\(index)", title: label.name, isChosen: index == shown)
            }
        precision = ConsoleText.percent(point.precision)
        recall = ConsoleText.percent(point.recall)
        f1 = ConsoleText.percent(point.f1)
        answers = "\(ConsoleText.count(point.right)) of \(ConsoleText.count(point.answers, "answer")) right"
        best = curve.best.map { ConsoleText.decimal($0.threshold, 2) } ?? ""
        hasBest = curve.best != nil
        chart = ThresholdChart(curve, at: point.threshold)
        self.recallHelp = recallHelp
    }
}

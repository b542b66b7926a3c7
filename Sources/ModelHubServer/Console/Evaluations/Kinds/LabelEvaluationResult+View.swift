import SightlineEvaluation

extension LabelEvaluationResult {
    func view(_ choice: EvaluationChoice) -> EvaluationView {
        var view = EvaluationView(
            choice,
            figures: report.figures,
            curve: EvaluationCurveView(
                choice,
                overall: report.overall,
                labels: report.labels.map { ($0.name, $0.curve) },
                all: "All labels together",
                recallHelp: "the share of pictures with a right answer"
            ),
            table: EvaluationTable(
                choice,
                "Labels",
                "Label",
                columns: ["Pictures", "Average precision"],
                report.labels
            ) { label in
                let values = [ConsoleText.count(label.pictureCount), ConsoleText.percent(label.averagePrecision)]
                return (label.name, values, label.curve)
            },
            skipped: report.skipped,
            warning: report.unknownFolders.sentence
        )
        if report.labels.count <= ConfusionMatrixView.maximumLabels {
            view.matrix = ConfusionMatrixView(report, choice.path)
        } else {
            view.confusions = ConfusionMatrixView.confusions(report, choice.path)
        }
        return view
    }

    /// The pictures in a cell of the confusion matrix.
    func cell(named name: String) -> EvaluationCell? {
        guard let cell = report.confusion.first(where: { ConfusionMatrixView.cellName($0) == name }) else { return nil }
        let truth = ConfusionMatrixView.name(cell.truth, in: report, otherwise: "No label")
        let answer = ConfusionMatrixView.name(cell.answer, in: report, otherwise: "no answer")
        return EvaluationCell(
            title: cell.truth == cell.answer ? "\(truth), recognized" : "\(truth), mistaken for \(answer)",
            count: cell.count,
            pictures: cell.pictures.map { ($0.path, Double($0.confidence)) }
        )
    }
}

extension LabelReport {
    fileprivate var figures: [EvaluationView.Figure] {
        [
            .init(
                name: "Right answers",
                value: ConsoleText.percent(top1),
                help:
                    "The share of \(ConsoleText.count(overall.wanted, "picture")) with a label of this version whose most confident label is right (top-1)"
            ),
            .init(
                name: "Among the first five",
                value: ConsoleText.percent(top5),
                help: "The picture’s label is one of the five most confident (top-5)"
            ),
            .init(
                name: "Average precision",
                value: ConsoleText.percent(meanAveragePrecision),
                help: "Area under the precision-recall curve, mean of all labels"
            ),
            .init(
                name: "Calibration error",
                value: ConsoleText.percent(calibrationError),
                help: "The mean difference between confidence and the share of right answers"
            ),
            .init(
                name: "Pictures",
                value: ConsoleText.count(pictureCount),
                help: "\(ConsoleText.decimal(picturesPerSecond, 0)) per second"
            ),
        ]
    }
}

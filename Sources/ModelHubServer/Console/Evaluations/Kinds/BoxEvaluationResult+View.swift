import SightlineEvaluation

extension BoxEvaluationResult {
    func view(_ choice: EvaluationChoice) -> EvaluationView {
        var view = EvaluationView(
            choice,
            figures: report.figures,
            curve: EvaluationCurveView(
                choice,
                overall: report.overall,
                labels: report.categories.map { ($0.name, $0.curve) },
                all: "All categories together",
                recallHelp: "the share of objects that are found"
            ),
            table: EvaluationTable(
                choice,
                "Categories",
                "Category",
                columns: ["Objects", "AP", "AP50", "AR"],
                report.categories
            ) { category in
                let scores = [category.ap, category.ap50, category.ar100].map { BoxEvaluation.number($0) }
                return (category.name, [ConsoleText.count(category.curve.wanted)] + scores, category.curve)
            },
            skipped: report.skipped,
            warning: report.unknownLabels.sentence
        )
        view.gallery = BoxGallery(mistakes, choice, threshold: report.bestThreshold ?? 0.5)
        return view
    }
}

extension BoxReport {
    fileprivate var figures: [EvaluationView.Figure] {
        let main = summary ?? classAgnostic
        let kind = summary == nil ? "of any object, because the model knows no categories" : "mean of all categories"
        func figure(_ name: String, _ value: Double?, _ help: String) -> EvaluationView.Figure {
            .init(name: name, value: BoxEvaluation.number(value), help: help)
        }
        return [
            figure("AP", main.ap, "Average precision over IoU .50 to .95, \(kind)"),
            figure("AP50", main.ap50, "Average precision at IoU .50"),
            figure("AR", main.ar100, "Average recall over IoU .50 to .95, with 100 detections per picture"),
            figure("AP50 of any object", classAgnostic.ap50, "As AP50, regardless of the labels"),
            .init(
                name: "Objects",
                value: ConsoleText.count(objectCount),
                help: "in \(ConsoleText.count(pictureCount, "picture")), "
                    + "\(ConsoleText.decimal(Double(pictureCount) / max(seconds, 0.001), 0)) per second"
            ),
        ]
    }
}

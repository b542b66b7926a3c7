import SightlineTestSupport
import Testing

@testable import SightlineEvaluation

/// The kinds of evaluations.
@Suite(.hangLimit)
struct EvaluationKindsTests {
    @Test func eachKindIsFoundByItsNameAndByTheUseOfItsModels() {
        for kind in EvaluationKinds.all {
            #expect(EvaluationKinds.named(kind.name)?.task == kind.task)
            #expect(EvaluationKinds.measuring(kind.task)?.name == kind.name)
        }
        #expect(EvaluationKinds.named("nothing") == nil)
        #expect(EvaluationKinds.measuring(nil) == nil)
    }

    @Test func eachPlaceShowsTheFiguresThatHaveANameForIt() {
        var tally = LabelTally(names: ["red"])
        tally.add(path: "1.png", truth: 0, answers: [.init(label: 0, confidence: 0.8)])
        let report = tally.report(
            model: EvaluatedModel(name: "m", sha256: "", byteCount: 1),
            source: "colors",
            duration: .seconds(1)
        )
        let (text, page) = (report.text(), report.html(pictures: nil))
        for figure in report.figures(at: 0.5) {
            if let fact = figure.fact { #expect(text.contains(fact.heading) && text.contains(fact.text)) }
            if let file = figure.file, !file.name.hasPrefix("Threshold") {
                #expect(page.contains("<dt>\(file.name)</dt>"))
            }
            #expect(figure.fact != nil || figure.file != nil || figure.console != nil)
        }
        #expect(report.figures(at: 0.5).compactMap(\.console?.name).contains("Right answers"))
    }
}

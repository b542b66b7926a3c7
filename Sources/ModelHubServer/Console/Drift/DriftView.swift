import Foundation
import TextFormatting

/// The reported confidences of a version by week, beside its evaluation.
struct DriftView: Sendable {
    /// A week in the chart.
    struct Bar: Sendable {
        var x: String
        var y: String
        var height: String
        var isMoved: Bool
        var title: String
    }

    struct Row: Sendable {
        var week: String
        var reports: String
        var mean: String
        var index: String
        var verdict: String
        /// A class of the style sheet.
        var kind: String
    }

    var version: String
    var verdict: String
    var kind: String
    /// The last week beside the evaluation in a sentence.
    var sentence: String
    var bars: [Bar]
    /// Whether a bar has the color of a week that moved.
    var hasMovedBars: Bool
    /// The vertical position of the evaluation's mean confidence; nil if it is unknown.
    var evaluated: String?
    var evaluatedText: String
    var rows: [Row]

    /// The number of weeks that a page shows.
    private static let shownWeeks = 26
    /// The distance of bars and the height of the chart; the template has the same numbers.
    private static let (step, height) = (22.0, 96.0)

    /// - Parameter evaluated: The mean confidence in the last evaluation of the version; nil if it is unknown.
    init?(_ history: ConfidenceHistory, evaluated mean: Double?) {
        guard let last = history.weeks.last, let lastMean = last.confidences.mean else { return nil }
        let weeks = history.weeks.suffix(Self.shownWeeks)
        func text(_ confidence: Double) -> String { NumberText.percent(confidence) }
        func position(_ confidence: Double) -> String { NumberText.decimal(Self.height * (1 - confidence), 1) }
        version = "\(history.version)"
        let isCompared = history.weeks.contains { $0.index != nil }
        (verdict, kind) =
            history.hasMoved
            ? ("Moved", "warning") : isCompared ? ("As in its first weeks", "good") : ("Too few reports", "neutral")
        evaluated = mean.map(position)
        evaluatedText = mean.map(text) ?? ""
        sentence =
            "The mean confidence was \(text(lastMean)) in the week from \(Self.day(last)), in "
            + NumberText.grouped(last.confidences.reports, "report")
            + (mean.map { "; it was \(text($0)) in the last evaluation." } ?? ".")
        bars = weeks.enumerated().compactMap { index, week in
            week.confidences.mean.map { mean in
                Bar(
                    x: NumberText.decimal(Double(index) * Self.step, 0),
                    y: position(mean),
                    height: NumberText.decimal(Self.height * mean, 1),
                    isMoved: week.index?.hasMoved == true,
                    title: "\(Self.day(week)): \(text(mean))"
                )
            }
        }
        hasMovedBars = bars.contains(where: \.isMoved)
        rows = weeks.reversed().map { week in
            let index = week.index.map {
                String(format: "%.2f (%.2f to %.2f)", $0.value, $0.lower, $0.upper).replacing("-", with: "−")
            }
            let (verdict, kind) =
                if week.isFirst {
                    ("Compared with", "neutral")
                } else if let index = week.index {
                    index.hasMoved
                        ? ("Moved", "warning")
                        : index.upper < StabilityIndex.limit ? ("As before", "good") : ("Not certain", "neutral")
                } else {
                    ("Too few reports", "neutral")
                }
            return Row(
                week: Self.day(week),
                reports: NumberText.grouped(week.confidences.reports),
                mean: week.confidences.mean.map(text) ?? "–",
                index: index ?? "–",
                verdict: verdict,
                kind: kind
            )
        }
    }

    private static func day(_ week: ConfidenceHistory.Week) -> String {
        ConsoleText.day(Timestamp(week: week.confidences.week))
    }
}

extension Console {
    /// The confidences of the versions that apps have or may get: those with reports, the served one first, at most three.
    func driftViews(of model: ModelRecord, _ evaluations: [EvaluationRecord]) async throws -> [DriftView] {
        let histories = try await hub.confidenceHistories(of: model)
        let served = histories.filter { $0.version == model.file?.version }
        var views: [DriftView] = []
        for history in (served + histories.filter { $0.version != model.file?.version }).prefix(3) {
            let mean = await hub.evaluatedConfidence(ofVersion: history.version, in: evaluations)
            if let view = DriftView(history, evaluated: mean) { views.append(view) }
        }
        return views
    }
}

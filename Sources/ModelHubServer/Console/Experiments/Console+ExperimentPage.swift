import Foundation
import Hummingbird
import TextFormatting

/// The page of an experiment and its outcome.
extension Console {
    private struct ExperimentPage: Sendable {
        struct Variant: Sendable {
            var id: String
            var value: String
            var isUnchanged: Bool
            var share: String
            var isFirst: Bool
            var isWinner: Bool
        }

        struct Metric: Sendable {
            struct Row: Sendable {
                var variant: String
                var installations: String
                var count: String
                var mean: String
                var percentiles: String
                var difference: String
                var interval: String
                var verdict: String
                var kind: String
                var isFirst: Bool
                var bar: IntervalBar?
            }

            var id: String
            var title: String
            var help: String
            var meanTitle: String
            var isLatency: Bool
            var isCount: Bool
            var rows: [Row]
        }

        var id: String
        var path: String
        var isRunning: Bool
        var parameter: String
        var parameterPath: String
        var condition: String?
        var exposure: String
        var canExpose: Bool
        var started: ConsoleTime
        var stopped: ConsoleTime
        var winner: String?
        var variants: [Variant]
        var metrics: [Metric]
        var sentences: [String]
        var canChange: Bool
    }

    /// The confidence interval of the difference, as a bar around zero.
    struct IntervalBar: Sendable {
        var start: String
        var width: String
        var middle: String
        var zero: String
        var kind: String
        var meaning: String

        private static let width = 160.0

        /// - Parameter limit: The value at the ends of the bar.
        init(_ comparison: VariantComparison, limit: Double, kind: String, meaning: String) {
            func place(_ value: Double) -> Double {
                min(max((value / limit + 1) / 2 * Self.width, 0), Self.width)
            }
            let (low, high) = (place(comparison.interval.lowerBound), place(comparison.interval.upperBound))
            start = NumberText.decimal(low, 1)
            width = NumberText.decimal(max(high - low, 2), 1)
            middle = NumberText.decimal(place(comparison.difference), 1)
            zero = NumberText.decimal(Self.width / 2, 1)
            self.kind = kind
            self.meaning = meaning
        }
    }

    func experimentPage(_ visit: ConsoleVisit, _ id: String) async throws -> Response {
        let outcome = try await hub.outcome(of: id, by: visit.caller)
        let experiment = outcome.experiment
        let weights = experiment.variants.reduce(0) { $0 + $1.weight }
        return .page(
            "experiment",
            ConsoleChrome(title: experiment.id, visit: visit),
            ExperimentPage(
                id: experiment.id,
                path: Self.path(ofExperiment: experiment.id),
                isRunning: experiment.isRunning,
                parameter: experiment.parameter,
                parameterPath: "\(Self.configPath)/parameters/\(Self.encoded(experiment.parameter))",
                condition: experiment.condition,
                exposure: ConsoleText.plain(experiment.exposurePercent),
                canExpose: experiment.isRunning && experiment.exposurePercent < 100,
                started: ConsoleTime(experiment.startTime),
                stopped: ConsoleTime(experiment.stopTime ?? experiment.startTime),
                winner: experiment.winner,
                variants: experiment.variants.enumerated().map { index, variant in
                    .init(
                        id: variant.id,
                        value: variant.value ?? "",
                        isUnchanged: variant.value == nil,
                        share: NumberText.percent(Double(variant.weight) / Double(max(weights, 1))),
                        isFirst: index == 0,
                        isWinner: variant.id == experiment.winner
                    )
                },
                metrics: outcome.metrics.map { Self.metric($0) },
                sentences: outcome.sentences.map { Self.minus($0.prefix(1).uppercased() + $0.dropFirst()) },
                canChange: visit.caller.role >= .publisher
            )
        )
    }

    /// A text with minus signs instead of hyphens for negative numbers.
    private static func minus(_ text: String) -> String {
        (" " + text).replacing(" -", with: " −").trimmingCharacters(in: .whitespaces)
    }

    private static func metric(_ metric: ExperimentOutcome.Metric) -> ExperimentPage.Metric {
        let (title, help, unit) =
            switch metric.metric {
            case .results: ("Results", "The number of results that apps reported.", "")
            case .unidentified:
                (
                    "Results without an installation",
                    "The number of results without an installation token. They are not compared.", ""
                )
            case .latency: ("Latency", "The duration of the inference; lower is better.", " ms")
            case .score(let name): (name, "A score that the app assigns; higher is better.", "")
            }
        // A common scale for all variants, so that the bars can be compared.
        let limit =
            metric.variants.compactMap(\.comparison).flatMap { comparison in
                [comparison.interval.lowerBound, comparison.interval.upperBound, comparison.difference].filter(
                    \.isFinite
                )
            }.map(abs).max() ?? 0
        return .init(
            id: "metric-" + metric.metric.text.replacing(":", with: "-"),
            title: title,
            help: help,
            meanTitle: metric.metric == .latency ? "Mean" : "Mean score",
            isLatency: metric.metric == .latency,
            isCount: metric.metric.isCount,
            rows: metric.variants.enumerated().map { index, variant in
                row(variant, isFirst: index == 0, unit: unit, limit: limit)
            }
        )
    }

    private static func row(
        _ variant: ExperimentOutcome.VariantOutcome,
        isFirst: Bool,
        unit: String,
        limit: Double
    ) -> ExperimentPage.Metric.Row {
        let total = variant.total
        let percentiles = [0.5, 0.9, 0.99].map { part in
            LatencyBucket.percentile(part, of: total.histogram).map { FigureText.value($0) } ?? "–"
        }
        var row = ExperimentPage.Metric.Row(
            variant: total.variant,
            installations: NumberText.grouped(total.sums.devices),
            count: NumberText.grouped(total.count),
            mean: total.sums.mean.map { FigureText.value($0) + unit } ?? "–",
            percentiles: total.count > 0 ? percentiles.joined(separator: " · ") + unit : "–",
            difference: "",
            interval: "",
            verdict: isFirst ? "Compared with" : "Nothing yet",
            kind: "neutral",
            isFirst: isFirst
        )
        guard let comparison = variant.comparison else { return row }
        row.difference = minus(FigureText.signed(comparison.difference) + unit)
        let (low, high) = (comparison.interval.lowerBound, comparison.interval.upperBound)
        if low.isFinite { row.interval = minus("\(FigureText.signed(low)) to \(FigureText.signed(high))\(unit)") }
        (row.verdict, row.kind) =
            switch comparison.verdict {
            case .tooFew: ("Too few results", "neutral")
            case .notSignificant: ("No significant difference", "neutral")
            case .better: ("Better", "good")
            case .worse: ("Worse", "bad")
            }
        if low.isFinite, limit > 0 {
            row.bar = IntervalBar(
                comparison,
                limit: limit * 1.1,
                kind: row.kind,
                meaning: "The difference is \(row.difference), with 95 % confidence \(row.interval)"
            )
        }
        return row
    }
}

extension ConsoleText {
    /// A number without insignificant digits: `50`, `12.5`.
    static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}

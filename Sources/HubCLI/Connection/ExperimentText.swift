import Foundation
import ModelHubProtocol
import TextFormatting

extension ExperimentList {
    /// The experiments as `experiment show` prints them.
    var text: String {
        TextTable(
            columns: [
                .text("ID"), .text("STATE"), .text("PARAMETER"), .text("VARIANTS"), .number("EXPOSURE"),
                .text("STARTED"),
                .text("WINNER"),
            ],
            rows: experiments.map { experiment in
                [
                    experiment.experimentId, experiment.state.lowercased(), experiment.parameter,
                    experiment.variants.map(\.variantId).joined(separator: " "),
                    "\(experiment.exposurePercent.formatted()) %", String(experiment.startTime.prefix(10)),
                    experiment.winner ?? "",
                ]
            }
        ).text
    }
}

extension OutcomeResource {
    /// The results as `experiment show ID` prints them.
    var text: String {
        let values = experiment.variants.map { variant in
            "\(variant.variantId)\(variant.value.map { " = \($0)" } ?? " (no change)"), weight \(variant.weight)"
        }
        var text = "\(experiment.experimentId): \(experiment.state.lowercased()) since "
        text += "\(experiment.stopTime ?? experiment.startTime), on the parameter \(experiment.parameter)"
        text += experiment.condition.map { " under the condition \"\($0)\"" } ?? ""
        text += ", \(experiment.exposurePercent.formatted()) % of installations\n"
        text += values.map { "  \($0)\n" }.joined()
        if !metrics.isEmpty {
            text += "\n" + table.text
        }
        text += "\n" + sentences.map { "\($0)\n" }.joined()
        return text
    }

    private var table: TextTable {
        TextTable(
            columns: [
                .text("METRIC"), .text("VARIANT"), .text("MODELS"), .number("INSTALLATIONS"), .number("COUNT"),
                .number("MEAN"),
                .number("±"), .number("P50"), .number("P90"), .number("DIFFERENCE"), .text("95 % INTERVAL"),
                .number("P"),
            ],
            rows: metrics.flatMap { metric in
                metric.variants.map { row(metric.metric, $0) }
            }
        )
    }

    private func row(_ metric: String, _ total: Total) -> [String] {
        let interval: String =
            if let lower = total.comparison?.lower, let upper = total.comparison?.upper {
                "\(Self.text(lower)) … \(Self.text(upper))"
            } else { "" }
        return [
            metric, total.variantId, (total.models ?? []).compactMap(\.model).joined(separator: " "),
            "\(total.installations)", "\(total.count)", Self.text(total.mean), Self.text(total.error),
            Self.text(total.percentiles?.p50), Self.text(total.percentiles?.p90),
            Self.text(total.comparison?.difference), interval,
            total.comparison.map { $0.pValue < 0.001 ? "< 0.001" : Self.text($0.pValue) } ?? "",
        ]
    }

    private static func text(_ value: Double?) -> String {
        guard let value else { return "" }
        return value.formatted(.number.precision(.significantDigits(1...4)).grouping(.never))
    }
}

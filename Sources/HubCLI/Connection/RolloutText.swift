import Foundation
import ModelHubProtocol
import TextFormatting

extension RolloutList {
    /// The rollouts as `rollout list` prints them.
    var text: String {
        TextTable(
            columns: [
                .text("ID"), .text("MODEL"), .text("STATE"), .number("FROM"), .number("TO"), .number("DEVICES"),
                .text("STEPS"), .text("STARTED"),
            ],
            rows: rollouts.map { rollout in
                [
                    rollout.rolloutId, rollout.model, rollout.state.lowercased(), "\(rollout.oldVersion)",
                    "\(rollout.newVersion)", "\(rollout.share.formatted()) %",
                    rollout.steps.map { $0.formatted() }.joined(separator: " "), String(rollout.startTime.prefix(10)),
                ]
            }
        ).text
    }
}

extension RolloutResource {
    /// The rollout as `rollout show` prints it.
    var text: String {
        var text =
            "\(rolloutId): \(state.lowercased()), version \(newVersion) of \(model) for \(share.formatted()) % of the devices"
        text += ", version \(oldVersion) for the others\n"
        text +=
            "  steps \(steps.map { $0.formatted() }.joined(separator: ", ")) %, each at least \(Self.time(everySeconds))\n"
        text += "\(reason)\n\n"
        text += comparisonTable.text
        if let ratio {
            text +=
                "\nDevices with reports: \(ratio.newDevices) with the new version, \(ratio.oldDevices) with the old version"
            text += ratio.isUnfair ? "; the difference is not due to chance.\n" : ".\n"
        }
        text +=
            "\n"
            + TextTable(
                columns: [.text("TIME"), .text("WHO"), .text("WHAT")],
                rows: events.map { [String($0.time.prefix(19)), $0.actor ?? "hub", $0.text] }
            ).text
        return text
    }

    private var comparisonTable: TextTable {
        TextTable(
            columns: [
                .text("GUARD"), .number("NEW"), .number("OLD"), .number("DEVICES"), .number("WORSE BY"),
                .text("INTERVAL"), .number("HARM"), .text("VERDICT"),
            ],
            rows: (comparisons ?? []).map { comparison in
                let unit = comparison.unit == "points" ? "points" : "%"
                let interval: String =
                    if let lower = comparison.lower, let upper = comparison.upper {
                        "\(Self.number(lower)) … \(Self.number(upper))"
                    } else { "" }
                return [
                    comparison.guard, Self.mean(comparison.newMean, comparison.guard),
                    Self.mean(comparison.oldMean, comparison.guard),
                    "\(comparison.newDevices) + \(comparison.oldDevices)",
                    comparison.change.map { "\(Self.number($0)) \(unit)" } ?? "", interval,
                    "\(Self.number(comparison.harm)) \(unit)", comparison.verdict.replacing("-", with: " "),
                ]
            }
        )
    }

    private static func mean(_ value: Double?, _ rolloutGuard: String) -> String {
        guard let value else { return "" }
        switch rolloutGuard {
        case "latency": return "\(number(value)) ms"
        case "failures": return "\(number(value * 100)) %"
        default: return number(value)
        }
    }

    private static func number(_ value: Double) -> String {
        let text = value.formatted(.number.precision(.significantDigits(1...3)).grouping(.never))
        return text == "-0" ? "0" : text
    }

    private static func time(_ seconds: Int) -> String {
        if seconds % 86_400 == 0 { return "\(seconds / 86_400) d" }
        return seconds % 3600 == 0 ? "\(seconds / 3600) h" : "\(seconds / 60) min"
    }
}

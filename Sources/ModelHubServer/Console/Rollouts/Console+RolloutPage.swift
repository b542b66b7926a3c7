import Foundation
import Hummingbird
import TextFormatting

/// The page of a rollout: its state in words, its guards with curves, and what happened.
extension Console {
    private struct RolloutPage: Sendable {
        struct Step: Sendable {
            var share: String
            /// `done`, `now` or `next`.
            var kind: String
            var isCurrent: Bool
        }

        struct Guard: Sendable {
            var id: String
            var title: String
            var verdict: String
            var kind: String
            var new: String
            var old: String
            var change: String
            /// Nil if too few devices have reported.
            var interval: String?
            var devices: String
            var harm: String
            var chart: RolloutChart?
        }

        struct Event: Sendable {
            var time: ConsoleTime
            var actor: String
            var text: String
        }

        var id: String
        var path: String
        var state: RolloutState
        var reason: String
        var isHalted: Bool
        var model: String
        var modelPath: String
        var oldVersion: String
        var newVersion: String
        var share: String
        var steps: [Step]
        var every: String
        var started: ConsoleTime
        var ended: ConsoleTime?
        var guards: [Guard]
        var ratio: Guard
        var events: [Event]
        var isActive: Bool
        var isPaused: Bool
        var canChange: Bool
    }

    func rolloutPage(_ visit: ConsoleVisit, _ name: String) async throws -> Response {
        let stored = try await hub.rollout(name, by: visit.caller)
        let rollout = stored.rollout
        let (readings, ratio) = rollout.comparisons(try await hub.evidence(of: stored))
        return .page(
            "rollout",
            ConsoleChrome(title: rollout.id, visit: visit),
            RolloutPage(
                id: rollout.id,
                path: Self.path(ofRollout: rollout.id),
                state: RolloutState(rollout.state),
                reason: Self.typographic(rollout.reason),
                isHalted: rollout.state == .halted,
                model: rollout.modelName,
                modelPath: "/console/models/\(rollout.model)",
                oldVersion: "\(rollout.oldVersion)",
                newVersion: "\(rollout.newVersion)",
                share: RolloutText.percent(rollout.share),
                steps: rollout.plan.steps.enumerated().map { index, share in
                    let isCurrent = rollout.isActive && index == rollout.step
                    let isDone = index < rollout.step || (!rollout.isActive && index == rollout.step)
                    return .init(
                        share: RolloutText.percent(share),
                        kind: isCurrent ? "now" : isDone ? "done" : "next",
                        isCurrent: isCurrent
                    )
                },
                every: RolloutText.duration(Int64(rollout.plan.seconds) * 1000),
                started: ConsoleTime(rollout.startTime),
                ended: rollout.endTime.map { ConsoleTime($0) },
                guards: readings.enumerated().map { index, reading in
                    Self.view(of: reading, RolloutChart(stored.curve, rollout, guard: index))
                },
                ratio: Self.view(of: ratio),
                events: rollout.events.reversed().map { event in
                    .init(
                        time: ConsoleTime(event.time),
                        actor: event.actor.map { ConsoleChrome.name(of: $0) } ?? "the hub",
                        text: Self.typographic(event.text)
                    )
                },
                isActive: rollout.isActive,
                isPaused: rollout.state == .paused,
                canChange: rollout.isActive && visit.caller.role >= .publisher
            )
        )
    }

    private static func view(of reading: GuardReading, _ chart: RolloutChart?) -> RolloutPage.Guard {
        let rolloutGuard = reading.rolloutGuard
        let (verdict, kind) =
            switch reading.verdict {
            case .tooFew: ("Too few devices", "neutral")
            case .harmful: ("Worse", "bad")
            case .uncertain: ("Not certain yet", "neutral")
            case .noHarm: ("No harm", "good")
            }
        func mean(_ sums: DeviceSums) -> String {
            guard let mean = sums.mean else { return "–" }
            let shown = rolloutGuard.shownMean(mean)
            switch rolloutGuard {
            case .failures: return NumberText.percent(shown, 2)
            case .latency: return "\(FigureText.value(shown)) ms"
            case .confidence, .score: return FigureText.value(shown)
            }
        }
        func text(_ change: Double) -> String { typographic(RolloutText.change(change, rolloutGuard)) }
        return .init(
            id: "guard-" + rolloutGuard.text.replacing(":", with: "-"),
            title: rolloutGuard.title,
            verdict: verdict,
            kind: kind,
            new: mean(reading.new),
            old: mean(reading.old),
            change: reading.change.map { text($0.value) } ?? "–",
            interval: reading.change.map { "\(text($0.lower)) to \(text($0.upper))" },
            devices: "\(NumberText.grouped(reading.new.devices)) and \(NumberText.grouped(reading.old.devices))",
            harm: text(rolloutGuard.harm),
            chart: chart
        )
    }

    /// The numbers of devices as one more guard.
    private static func view(of ratio: RatioReading) -> RolloutPage.Guard {
        let interval = ratio.interval
        let (verdict, kind) =
            ratio.isUnfair
            ? ("Unequal", "bad") : ratio.isTelling ? ("Equal enough", "good") : ("Too few devices", "neutral")
        return .init(
            id: "guard-devices",
            title: "Devices that report",
            verdict: verdict,
            kind: kind,
            new: NumberText.grouped(ratio.new),
            old: NumberText.grouped(ratio.old),
            change: "",
            interval: ratio.new + ratio.old > 0
                ? "\(NumberText.percent(interval.lowerBound)) to \(NumberText.percent(interval.upperBound))" : nil,
            devices: "\(NumberText.grouped(ratio.new)) and \(NumberText.grouped(ratio.old))",
            harm: "",
            chart: nil
        )
    }

    /// A text with minus signs instead of hyphens for negative numbers.
    private static func typographic(_ text: String) -> String {
        (" " + text).replacing(" -", with: " −").trimmingCharacters(in: .whitespaces)
    }
}

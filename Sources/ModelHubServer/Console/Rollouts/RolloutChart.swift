import Foundation
import TextFormatting

/// The change of a guard over time with its interval, as the parts of a chart.
struct RolloutChart: Sendable {
    struct Tick: Sendable {
        var position: String
        var text: String
    }

    /// The points of the interval's outline, and of the line of estimates, in the format of SVG's `points`.
    var band: String
    var line: String
    /// Horizontal positions of changes of the percentage of devices.
    var steps: [Tick]
    var horizontal: [Tick]
    var vertical: [Tick]
    /// The vertical positions of no change and of the harm that must be found.
    var zero: String
    var harmLine: String
    /// Whether the newest interval is above the negligible change.
    var isHarmful: Bool
    /// The contents in words.
    var summary: String

    /// The area of the lines in the chart's units; the template has the same numbers.
    private static let (left, top, width, height) = (56.0, 24.0, 568.0, 200.0)

    /// Nil while there is no comparison.
    init?(_ curve: RolloutCurve, _ rollout: Rollout, guard number: Int) {
        let rolloutGuard = rollout.plan.guards[number]
        var known = curve.points.compactMap { point in
            point.changes.indices.contains(number) ? point.changes[number].map { (time: point.time, change: $0) } : nil
        }
        guard let first = known.first, let last = known.last else { return nil }
        let start = Double(rollout.startTime.milliseconds)
        let end = max(Double(last.time.milliseconds), start + 1)
        // A single comparison is a short bar at its end.
        if known.count == 1 {
            let width = Timestamp(milliseconds: last.time.milliseconds - max(Int64((end - start) / 50), 1))
            known.insert((time: width, change: last.change), at: 0)
        }
        let harm = rolloutGuard.shown(rolloutGuard.harm)
        // Early intervals are wide; their ends may lie outside.
        let extremes = known.suffix(max(known.count * 3 / 4, 2)).flatMap { [$0.change.lower, $0.change.upper] }
            .map(rolloutGuard.shown)
        let highest = min(max(extremes.max() ?? harm, harm * 1.4), harm * 6)
        let lowest = max(min(extremes.min() ?? -harm, -harm * 0.6), -harm * 4)
        func x(_ time: Timestamp) -> Double {
            Self.left + (Double(time.milliseconds) - start) / (end - start) * Self.width
        }
        func y(_ value: Double) -> Double {
            let part = (highest - min(max(value, lowest), highest)) / (highest - lowest)
            return Self.top + part * Self.height
        }
        func text(_ position: Double) -> String { NumberText.decimal(position, 1) }
        func points(_ values: [(Timestamp, Double)]) -> String {
            values.map { "\(text(x($0.0))),\(text(y(rolloutGuard.shown($0.1))))" }.joined(separator: " ")
        }
        band = points(known.map { ($0.time, $0.change.upper) } + known.reversed().map { ($0.time, $0.change.lower) })
        line = points(known.map { ($0.time, $0.change.value) })
        var shares: [(time: Timestamp, share: Double)] = []
        for point in curve.points where shares.last?.share != point.share { shares.append((point.time, point.share)) }
        if shares.isEmpty { shares = [(first.time, rollout.share)] }
        shares[0].time = rollout.startTime
        steps = shares.map { Tick(position: text(x($0.time)), text: RolloutText.percent($0.share)) }
        let unit = rolloutGuard.scale == .points ? "" : " %"
        horizontal = Self.values(lowest, highest).map {
            Tick(position: text(y($0)), text: "\(RolloutText.number($0, 2).replacing("-", with: "−"))\(unit)")
        }
        vertical = Self.times(until: end - start).map { time in
            Tick(
                position: text(Self.left + time / (end - start) * Self.width),
                text: time == 0 ? "0" : RolloutText.duration(Int64(time))
            )
        }
        zero = text(y(0))
        harmLine = text(y(harm))
        isHarmful = last.change.lower > rolloutGuard.tolerance
        summary =
            "\(rolloutGuard.title) over \(RolloutText.duration(Int64(end - start))): at last worse by "
            + "\(RolloutText.change(last.change.value, rolloutGuard)), interval from "
            + "\(RolloutText.change(last.change.lower, rolloutGuard)) to \(RolloutText.change(last.change.upper, rolloutGuard))."
    }

    /// Two to six round times from 0 on, in milliseconds, which differ as text.
    private static func times(until end: Double) -> [Double] {
        let (second, minute, hour, day) = (1000.0, 60_000.0, 3_600_000.0, 86_400_000.0)
        let round =
            end < minute
            ? [1, 5, 15].map { $0 * second }
            : [1, 2, 5, 10, 15, 30].map { $0 * minute } + [1, 2, 3, 6, 12].map { $0 * hour }
                + [1, 2, 5, 10, 20, 50, 100].map { $0 * day }
        let step = round.first { end / $0 < 6 } ?? end / 4
        return Array(stride(from: 0, through: end, by: step))
    }

    /// Four to eight round values in a range.
    private static func values(_ low: Double, _ high: Double) -> [Double] {
        let raw = (high - low) / 5
        guard raw > 0, raw.isFinite else { return [0] }
        let power = pow(10, floor(log10(raw)))
        let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= raw } ?? raw
        return stride(from: ceil(low / step) * step, through: high, by: step).map { abs($0) < step / 2 ? 0 : $0 }
    }
}

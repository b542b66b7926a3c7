import Foundation

/// Sentences about rollouts.
enum RolloutText {
    /// A percentage: `5 %`, `0.1 %`.
    static func percent(_ value: Double) -> String { "\(number(value, 3)) %" }

    /// A number with at most so many decimals.
    static func number(_ value: Double, _ digits: Int) -> String {
        var text = String(format: "%.\(digits)f", value)
        while text.contains("."), text.hasSuffix("0") || text.hasSuffix(".") {
            let last = text.removeLast()
            if last == "." { break }
        }
        return text == "-0" ? "0" : text
    }

    /// A change in its unit: `12.3 %`, `2.1 points`.
    static func change(_ value: Double, _ rolloutGuard: RolloutGuard) -> String {
        let shown = rolloutGuard.shown(value)
        return rolloutGuard.scale == .points ? "\(number(shown, 2)) points" : "\(number(shown, 1)) %"
    }

    /// `Latency is 18.2 % higher than with version 2, at least 9.1 %, by 1204 and 1198 devices at 20 %.`
    static func harm(_ reading: GuardReading, than old: Int, at share: Double) -> String {
        guard let change = reading.change else { return "" }
        let rolloutGuard = reading.rolloutGuard
        let verb = rolloutGuard == .failures ? "are" : "is"
        let direction =
            switch rolloutGuard {
            case .failures, .latency: "higher"
            case .confidence, .score: "lower"
            }
        return
            "\(rolloutGuard.title) \(verb) \(self.change(change.value, rolloutGuard)) \(direction) than with version \(old), "
            + "at least \(self.change(change.lower, rolloutGuard)), "
            + "by \(reading.new.devices) and \(reading.old.devices) devices at \(percent(share))."
    }

    /// Why the division of devices is unfair.
    static func unfairness(_ ratio: RatioReading) -> String {
        let few = ratio.new < ratio.old ? "new" : "old"
        return
            "The compared groups have equal sizes, but \(ratio.new) devices with the new version and \(ratio.old) with the old version "
            + "reported; something keeps the \(few) version from reporting, such as a crash."
    }

    /// Which guards lack devices.
    static func missing(_ readings: [GuardReading]) -> String {
        readings.map { reading in
            "\(reading.rolloutGuard.text) has \(reading.new.devices) and \(reading.old.devices) of "
                + "\(GuardReading.fewestDevices) needed devices"
        }.joined(separator: ", ")
    }

    /// Which harms are not excluded yet.
    static func doubts(_ readings: [GuardReading]) -> String {
        let parts = readings.compactMap { reading in
            reading.change.map { found in
                let rolloutGuard = reading.rolloutGuard
                let (worst, limit) = (change(found.upper, rolloutGuard), change(rolloutGuard.harm, rolloutGuard))
                return "\(rolloutGuard.text) worse by up to \(worst), where \(limit) is a harm"
            }
        }
        return "Not excluded for certain: \(parts.joined(separator: "; "))."
    }

    /// A time: `13 h 5 min`, `2 days 3 h`.
    static func duration(_ milliseconds: Int64) -> String {
        let minutes = milliseconds / 60_000
        if minutes < 1 { return "\(milliseconds / 1000) s" }
        let (days, hours, rest) = (minutes / 1440, minutes / 60 % 24, minutes % 60)
        if days > 0 { return "\(days) \(days == 1 ? "day" : "days")" + (hours > 0 ? " \(hours) h" : "") }
        return hours > 0 ? "\(hours) h" + (rest > 0 ? " \(rest) min" : "") : "\(rest) min"
    }
}

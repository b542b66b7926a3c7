import Foundation

/// A moment in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Its text is RFC 3339 with exactly three digits of a second, the only form that all Firebase clients can read.
package struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Milliseconds since 1970 in UTC.
    package var milliseconds: Int64

    /// Creates a moment.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The current moment.
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The moment after a duration, limited to the range of the calendar.
    package func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let whole = seconds.multipliedReportingOverflow(by: 1000)
        let time = whole.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        let sum = milliseconds.addingReportingOverflow(time.partialValue)
        guard !whole.overflow, !time.overflow, !sum.overflow else {
            return Timestamp(milliseconds: duration < .zero ? .min : .max)
        }
        return Timestamp(milliseconds: sum.partialValue)
    }

    /// Earlier moments come first.
    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}

extension Timestamp: CustomStringConvertible {
    /// For example `2027-06-15T08:30:00.000Z`.
    ///
    /// The date is computed as in H. Hinnant's "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    package var description: String {
        let (seconds, fraction) = milliseconds.flooredQuotientAndRemainder(dividingBy: 1000)
        let (days, secondOfDay) = seconds.flooredQuotientAndRemainder(dividingBy: 86_400)
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.flooredQuotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { Self.padded($0, to: 2) }
        return "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))"
            + "T\(time.joined(separator: ":")).\(Self.padded(fraction, to: 3))Z"
    }

    private static func padded(_ value: Int64, to width: Int) -> String {
        let digits = String(value)
        return digits.count >= width ? digits : String(repeating: "0", count: width - digits.count) + digits
    }
}

extension Int64 {
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

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
    package var description: String {
        let (seconds, fraction) = milliseconds.flooredQuotientAndRemainder(dividingBy: 1000)
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        let date =
            "\(Self.padded(parts.tm_year + 1900, to: 4))-\(Self.padded(parts.tm_mon + 1, to: 2))-\(Self.padded(parts.tm_mday, to: 2))"
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.padded($0, to: 2) }.joined(separator: ":")
        return "\(date)T\(clock).\(Self.padded(fraction, to: 3))Z"
    }

    private static func padded(_ value: some BinaryInteger, to width: Int) -> String {
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

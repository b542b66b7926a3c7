import Foundation

/// The dates of a live stream's periods, by the calendar and by the clock as it is now.
///
/// Periods end with the full hour or day of a time zone. A period lasts longer or shorter where summer time begins or ends. When the clock
/// is set, for example by NTP some time after the start of a machine without a clock, the period that has begun gets the dates of the new
/// clock, and ends at once if a full hour lies within it.
struct PeriodClock: Sendable {
    /// The dates of a period.
    typealias Dates = (start: Date, end: Date)

    private let length: TimeInterval
    private let timeZone: TimeZone
    /// The dates of the present period; nil before the first moment.
    private var present: Dates?
    /// The last moment, by the clock and by the time that passes.
    private var last: (date: Date, instant: ContinuousClock.Instant)?

    /// The number of periods that may end at once.
    private static let mostPeriods = 10_000
    /// The difference of both clocks in seconds above which the clock was set. A clock that is being adjusted differs by a thousandth at
    /// most.
    private static let (tolerance, drift) = (2.0, 0.001)

    init(_ period: Duration, in timeZone: TimeZone) {
        (length, self.timeZone) = (max(period / .seconds(1), 1), timeZone)
    }

    /// The dates of the present period, which ends now; nil before the first moment.
    var presentUntilNow: Dates? {
        guard let present, let last else { return nil }
        return (present.start, max(last.date, present.start))
    }

    /// Moves to another moment.
    ///
    /// - Parameters:
    ///   - date: the date by the clock.
    ///   - instant: the same moment by the monotonic clock.
    /// - Returns: the dates of the periods that have ended.
    mutating func advance(to date: Date, at instant: ContinuousClock.Instant) -> [Dates] {
        defer { last = (date, instant) }
        guard var (start, end) = present, let last else {
            present = (date, self.end(after: date))
            return []
        }
        var ended: [Dates] = []
        let passed = (instant - last.instant) / .seconds(1)
        let shift = date.timeIntervalSince(last.date) - passed
        if abs(shift) > Self.tolerance + passed * Self.drift {
            start += shift
            end = self.end(after: start)
            if end <= date {
                ended.append((start, date))
                (start, end) = (date, self.end(after: date))
            }
        }
        while date >= end, ended.count < Self.mostPeriods {
            ended.append((start, end))
            (start, end) = (end, self.end(after: end))
        }
        if date >= end { (start, end) = (date, self.end(after: date)) }
        present = (start, end)
        return ended
    }

    /// The end of the period that contains a date.
    private func end(after date: Date) -> Date {
        let offset = Double(timeZone.secondsFromGMT(for: date))
        let end = date + rest(atLocal: date.timeIntervalSince1970 + offset)
        guard let change = timeZone.nextDaylightSavingTimeTransition(after: date), change <= end else {
            return Self.rounded(end)
        }
        let before = change.timeIntervalSince1970 + offset
        let after = change.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: change))
        // An end that the clock leaves out comes with the change. One that comes twice ends two periods, if they are as short as that.
        let isLeftOut = after > before && floor(after / length) > floor((before - 0.001) / length)
        let isRepeated = after < before && length <= before - after && after.remainder(dividingBy: length) == 0
        return Self.rounded(isLeftOut || isRepeated ? change : change + rest(atLocal: after))
    }

    /// The seconds from a local time to the next multiple of the period.
    private func rest(atLocal time: TimeInterval) -> TimeInterval {
        let rest = length - (time - floor(time / length) * length)
        return rest < 0.001 ? rest + length : rest
    }

    private static func rounded(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}

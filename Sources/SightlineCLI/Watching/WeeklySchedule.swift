import Foundation

/// The hours of a week in which something runs, such as `Mon-Fri 08:00-18:00, Sat 10:00-14:00` or `22:00-06:00`.
struct WeeklySchedule: Sendable, Hashable {
    /// Some days with a time on each of them.
    private struct DailyHours: Sendable, Hashable {
        /// The days on which the time begins, from 0 for Sunday.
        let days: Set<Int>
        /// Minutes since midnight. An end that is not later than the start lies on the next day.
        let start: Int
        let end: Int
    }

    private let parts: [DailyHours]

    private static let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let minutesOfDay = 24 * 60

    /// Nil if the text has another form.
    init?(_ text: String) {
        let parts = text.split(separator: ",").map { Self.part($0.split(separator: " ")) }
        guard !parts.isEmpty, parts.allSatisfy({ $0 != nil }) else { return nil }
        self.parts = parts.compactMap(\.self)
    }

    private static func part(_ words: [Substring]) -> DailyHours? {
        guard let times = words.last, words.count <= 2 else { return nil }
        let ends = times.split(separator: "-", omittingEmptySubsequences: false).map(minutes)
        guard ends.count == 2, let start = ends[0], let end = ends[1], start < minutesOfDay else { return nil }
        guard words.count == 2 else { return DailyHours(days: Set(0..<7), start: start, end: end) }
        return days(words[0]).map { DailyHours(days: $0, start: start, end: end) }
    }

    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let hours = parts[0], let minutes = parts[1], (0...24).contains(hours),
            (0..<60).contains(minutes), case let all = hours * 60 + minutes, all <= minutesOfDay
        else { return nil }
        return all
    }

    /// The days of `Mon`, or of `Fri-Mon`.
    private static func days(_ text: Substring) -> Set<Int>? {
        let ends = text.lowercased().split(separator: "-", omittingEmptySubsequences: false)
            .map { name in names.firstIndex { $0 == name } }
        guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil else { return nil }
        return Set((0...(last - first + 7) % 7).map { (first + $0) % 7 })
    }

    /// The first time after a date outside of the schedule at which it holds, by the time of a calendar.
    ///
    /// A part begins at its time of day, with the difference from UTC before or after the next change of the clock, or with that change. Where
    /// summer time begins, some times are left out; where it ends, some come twice.
    func nextStart(after date: Date, in calendar: Calendar = .current) -> Date? {
        let zone = calendar.timeZone
        let change = zone.nextDaylightSavingTimeTransition(after: date)
        let offsets = Set([date, change].compactMap(\.self).map { zone.secondsFromGMT(for: $0) })
        var candidates = [change].compactMap(\.self)
        for offset in offsets {
            let today = Int(((date.timeIntervalSince1970 + Double(offset)) / 86_400).rounded(.down))
            for day in today...(today + Self.searchedDays) {
                // 1 January 1970 was a Thursday.
                let weekday = ((day + 4) % 7 + 7) % 7
                for part in parts where part.days.contains(weekday) {
                    let seconds = day * 86_400 + part.start * 60 - offset
                    candidates.append(Date(timeIntervalSince1970: Double(seconds)))
                }
            }
        }
        return candidates.filter { $0 > date && contains($0, in: calendar) }.min()
    }

    /// Two weeks, because a change of the clock may leave out the only start of a week.
    private static let searchedDays = 14

    /// Whether a date lies in the schedule, by the time of a calendar.
    func contains(_ date: Date, in calendar: Calendar = .current) -> Bool {
        let time = calendar.dateComponents([.weekday, .hour, .minute], from: date)
        guard let weekday = time.weekday, let hour = time.hour, let minute = time.minute else { return false }
        let (day, now) = (weekday - 1, hour * 60 + minute)
        return parts.contains { part in
            if part.start < part.end { return part.days.contains(day) && (part.start..<part.end).contains(now) }
            // Over midnight.
            return part.days.contains(day) && now >= part.start || part.days.contains((day + 6) % 7) && now < part.end
        }
    }
}

import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineCLI

/// The hours in which a camera is watched.
@Suite(.hangLimit)
struct WeeklyScheduleTests {
    private let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// A date in the week of Monday, 23 November 2026.
    private func date(_ day: Int, _ hour: Int, _ minute: Int = 0) throws -> Date {
        let parts = DateComponents(year: 2026, month: 11, day: 22 + day, hour: hour, minute: minute)
        return try #require(calendar.date(from: parts))
    }

    private func contains(_ text: String, _ day: Int, _ hour: Int, _ minute: Int = 0) throws -> Bool {
        try #require(WeeklySchedule(text)).contains(date(day, hour, minute), in: calendar)
    }

    @Test func hasTheTimesOfItsDays() throws {
        #expect(try contains("Mon-Fri 08:00-18:00", 1, 8))
        #expect(try contains("Mon-Fri 08:00-18:00", 5, 17, 59))
        #expect(try !contains("Mon-Fri 08:00-18:00", 5, 18))
        #expect(try !contains("Mon-Fri 08:00-18:00", 6, 12))
        #expect(try contains("Mon-Fri 08:00-18:00, sat 10:00-14:00", 6, 12))
        #expect(try contains("00:00-24:00", 7, 23, 59))
    }

    @Test func goesOverMidnightAndOverTheEndOfTheWeek() throws {
        #expect(try contains("22:00-06:00", 3, 5, 59))
        #expect(try contains("22:00-06:00", 3, 22))
        #expect(try !contains("22:00-06:00", 3, 12))
        // The night of Friday ends on Saturday.
        #expect(try contains("Fri 22:00-06:00", 6, 5))
        #expect(try !contains("Fri 22:00-06:00", 5, 5))
        #expect(try contains("Sat-Mon 08:00-09:00", 1, 8))
        #expect(try contains("Sat-Mon 08:00-09:00", 7, 8))
        #expect(try !contains("Sat-Mon 08:00-09:00", 2, 8))
    }

    @Test func knowsItsNextStart() throws {
        func next(_ text: String, _ day: Int, _ hour: Int) throws -> Date? {
            try #require(WeeklySchedule(text)).nextStart(after: date(day, hour), in: calendar)
        }
        #expect(try next("Mon-Fri 08:00-18:00", 1, 6) == date(1, 8))
        #expect(try next("Mon-Fri 08:00-18:00", 5, 19) == date(8, 8))
        #expect(try next("Mon 08:00-09:00, Sat 10:00-14:00", 3, 0) == date(6, 10))
        #expect(try next("22:30-06:00", 3, 12) == date(3, 22, 30))
    }

    // MARK: Summer time

    /// A zone, and the days of 2026 on which its clocks change.
    struct Zone: Sendable, CustomTestStringConvertible {
        let name: String
        /// The month and day, and the moments before which and from which the local time is left out or comes twice.
        let forward: (month: Int, day: Int, from: Int, to: Int)
        let back: (month: Int, day: Int, from: Int, to: Int)
        var testDescription: String { name }
    }

    /// Minutes of the day. Lord Howe Island's clocks change by half an hour.
    private static let zones = [
        Zone(name: "Europe/Berlin", forward: (3, 29, 120, 180), back: (10, 25, 120, 180)),
        Zone(name: "America/New_York", forward: (3, 8, 120, 180), back: (11, 1, 60, 120)),
        Zone(name: "Australia/Lord_Howe", forward: (10, 4, 120, 150), back: (4, 5, 90, 120)),
    ]

    /// The moments of two days from a midnight, five minutes apart.
    private func moments(_ zone: Zone, _ month: Int, _ day: Int) throws -> (calendar: Calendar, dates: [Date]) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone.name))
        let midnight = try #require(calendar.date(from: DateComponents(year: 2026, month: month, day: day)))
        return (calendar, (0..<(48 * 12)).map { midnight + Double($0) * 300 })
    }

    private func text(_ minutes: Int) -> String { String(format: "%02d:%02d", minutes / 60, minutes % 60) }

    /// The number of minutes of a day of a change, and of the next day, in which a schedule holds.
    private func minutes(_ text: String, _ zone: Zone, _ month: Int, _ day: Int) throws -> [Int] {
        let (calendar, dates) = try moments(zone, month, day)
        let schedule = try #require(WeeklySchedule(text))
        return [day, day + 1].map { day in
            5 * dates.count { calendar.component(.day, from: $0) == day && schedule.contains($0, in: calendar) }
        }
    }

    @Test(arguments: zones) func hoursFollowTheClockWhenItChanges(zone: Zone) throws {
        let (forward, back) = (zone.forward, zone.back)
        let change = forward.to - forward.from
        // From an hour before to an hour after, and wholly within.
        let around = "\(text(forward.from - 60))-\(text(forward.to + 60))"
        #expect(try minutes(around, zone, forward.month, forward.day) == [120, 120 + change])
        let within = "\(text(forward.from + 5))-\(text(forward.to - 5))"
        #expect(try minutes(within, zone, forward.month, forward.day) == [0, change - 10])
        let twice = "\(text(back.from + 5))-\(text(back.to - 5))"
        #expect(try minutes(twice, zone, back.month, back.day) == [2 * (change - 10), change - 10])
        #expect(try minutes("00:00-24:00", zone, back.month, back.day).first == 24 * 60 + change)
    }

    @Test(arguments: zones) func theNextStartIsWhenTheScheduleHolds(zone: Zone) throws {
        for (month, day, from, to) in [zone.forward, zone.back] {
            let (calendar, dates) = try moments(zone, month, day)
            for (start, end) in [(from + 5, to - 5), (from - 20, from + 10), (from + 10, to + 10), (to, to + 20)] {
                let schedule = try #require(WeeklySchedule("\(text(start))-\(text(end))"))
                var next: Date?
                for (index, date) in dates.enumerated().dropLast().reversed() {
                    let holds = schedule.contains(date, in: calendar)
                    if !holds, schedule.contains(dates[index + 1], in: calendar) { next = dates[index + 1] }
                    guard !holds, index.isMultiple(of: 3), let next else { continue }
                    #expect(
                        schedule.nextStart(after: date, in: calendar) == next,
                        "\(text(start))-\(text(end)) after \(date)"
                    )
                }
            }
        }
    }

    @Test(arguments: zones) func schedulesHoldAfter2038(zone: Zone) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone.name))
        // The last second of 32-bit time, and the next one.
        let end = Date(timeIntervalSince1970: Double(Int32.max))
        let time = calendar.dateComponents([.hour, .minute], from: end)
        let minutes = (time.hour ?? 0) * 60 + (time.minute ?? 0)
        let schedule = try #require(WeeklySchedule("\(text(minutes))-\(text(minutes + 1))"))
        #expect(schedule.contains(end, in: calendar) && schedule.contains(end + 1, in: calendar))
        #expect(schedule.nextStart(after: end + 60, in: calendar) == end - 7 + 86_400)
    }

    @Test(arguments: [
        "", "Mon", "08:00", "8-18", "Mon 25:00-26:00", "Mon-Tue-Wed 08:00-09:00", "Mon 08:60-09:00", "-", "Mon  ,",
        "922337203685477580:00-01:00", "08:00-922337203685477580:59", "-1:00-08:00",
    ])
    func refusesOtherForms(text: String) { #expect(WeeklySchedule(text) == nil) }
}

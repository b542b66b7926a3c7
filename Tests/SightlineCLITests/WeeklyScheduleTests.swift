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

    @Test(arguments: [
        "", "Mon", "08:00", "8-18", "Mon 25:00-26:00", "Mon-Tue-Wed 08:00-09:00", "Mon 08:60-09:00", "-", "Mon  ,",
        "922337203685477580:00-01:00", "08:00-922337203685477580:59", "-1:00-08:00",
    ])
    func refusesOtherForms(text: String) { #expect(WeeklySchedule(text) == nil) }
}

import Foundation

/// Times in the log of `sightline watch`.
enum LogTime {
    /// A date in local time with its offset from UTC, such as `2026-11-28 14:13:32-05:00`.
    static func text(_ date: Date, in zone: TimeZone = .current) -> String {
        date.formatted(
            Date.ISO8601FormatStyle(
                dateSeparator: .dash,
                dateTimeSeparator: .space,
                timeSeparator: .colon,
                timeZoneSeparator: .colon,
                includingFractionalSeconds: false,
                timeZone: zone
            )
        )
    }
}

import Foundation

/// A moment in a condition: a local time in a time zone.
struct ConditionTime: Sendable, Hashable {
    /// For example `2027-01-01T00:00:00`.
    var text: String
    /// For example `Europe/Berlin`; nil for UTC.
    var zone: String?
    /// The moment.
    var moment: Timestamp
}

extension ConditionTime {
    /// Nil unless the text is a date and time of the Gregorian calendar in a time zone that the system knows.
    ///
    /// An hour that is skipped at the start of summer time means the following hour. For an hour that is repeated at
    /// the end of summer time, the first occurrence counts.
    init?(_ text: String, zone name: String?) {
        guard let clock = Self.secondsSince1970(text), let zone = name.map({ TimeZone(identifier: $0) }) ?? .gmt else {
            return nil
        }
        let seconds = clock - Self.offset(of: clock, in: zone)
        self.init(text: text, zone: name, moment: Timestamp(milliseconds: Int64(seconds) * 1000))
    }

    /// The seconds from 1970-01-01T00:00:00 to a local time; nil unless the text is `YYYY-MM-DDThh:mm:ss`.
    ///
    /// A template may contain thousands of times, so this uses neither a regular expression nor Foundation's calendar.
    private static func secondsSince1970(_ text: String) -> Int? {
        let pattern = Array("0000-00-00T00:00:00".utf8)
        let bytes = Array(text.utf8)
        guard bytes.count == pattern.count else { return nil }
        for (byte, expected) in zip(bytes, pattern) {
            let isRight = expected == UInt8(ascii: "0") ? (48...57).contains(byte) : byte == expected
            guard isRight else { return nil }
        }
        func number(_ range: Range<Int>) -> Int32 { bytes[range].reduce(0) { $0 * 10 + Int32($1) - 48 } }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(0..<4) - 1900, number(5..<7) - 1, number(8..<10))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(11..<13), number(14..<16), number(17..<19))
        // A day or time that does not exist becomes another one, such as March 2 for February 30.
        let given = parts
        let seconds = timegm(&parts)
        guard given.tm_year > -1900, (parts.tm_mon, parts.tm_mday) == (given.tm_mon, given.tm_mday),
            (parts.tm_hour, parts.tm_min, parts.tm_sec) == (given.tm_hour, given.tm_min, given.tm_sec)
        else { return nil }
        return seconds
    }

    /// The offset of a time zone from UTC at a local time, in seconds.
    private static func offset(of clock: Int, in zone: TimeZone) -> Int {
        func offset(at seconds: Int) -> Int {
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds)))
        }
        // No time zone changes its offset twice within two days.
        let (before, after) = (offset(at: clock - 86_400), offset(at: clock + 86_400))
        if before == after || offset(at: clock - before) == before { return before }
        return offset(at: clock - after) == after ? after : before
    }
}

import Foundation

/// How long a server asks clients to wait in `Retry-After`: seconds, or the moment to come back at (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// What a header says; nil if it says nothing that can be read.
    static func duration(_ header: String?, now: Date = Date()) -> Duration? {
        guard let text = header?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (48...57).contains($0) }) {
            return .seconds(Int(text) ?? Int(Int32.max))
        }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text).map { .seconds(max($0.timeIntervalSince(now), 0)) }
    }
}

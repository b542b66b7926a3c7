import Foundation

/// The delay in a `Retry-After` header: seconds, or the time of the next attempt (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The delay in a header; nil if the header is missing or invalid.
    package static func duration(_ header: String?, now: Date = Date()) -> Duration? {
        guard let text = header?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (48...57).contains($0) }) {
            return .seconds(Int(text) ?? Int(Int32.max))
        }
        // On Linux, DateFormatter ends the process at a text whose letters have several parts.
        guard text.utf8.allSatisfy({ (32...126).contains($0) }) else { return nil }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text).map { .seconds(max($0.timeIntervalSince(now), 0)) }
    }
}

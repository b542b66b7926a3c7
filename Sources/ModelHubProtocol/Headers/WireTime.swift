import Foundation

/// Times in messages.
package enum WireTime {
    /// A time in the format of RFC 3339, with or without a fraction of a second; nil for any other text.
    package static func date(_ text: String) -> Date? {
        if let date = try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) {
            return date
        }
        return try? Date(text, strategy: Date.ISO8601FormatStyle())
    }
}

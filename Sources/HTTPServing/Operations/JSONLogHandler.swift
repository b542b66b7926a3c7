import Foundation
import Logging

/// Writes log lines as JSON on standard error: time, level, message, and metadata.
package struct JSONLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata = Logger.Metadata()

    package init(level: Logger.Level = .info) { logLevel = level }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// RFC 3339 with milliseconds.
    private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    package func log(event: LogEvent) {
        var fields: [String: String] = [:]
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
            fields[key] = "\(value)"
        }
        if let error = event.error { fields["error"] = "\(error)" }
        fields["time"] = Date.now.formatted(Self.time)
        fields["level"] = event.level.rawValue
        fields["message"] = "\(event.message)"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(fields) else { return }
        // A full disk behind the log must not stop the server.
        try? FileHandle.standardError.write(contentsOf: line + Data("\n".utf8))
    }
}

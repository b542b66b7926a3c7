import Logging
import Synchronization

/// Keeps the lines of a log.
final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    /// The lines so far: each message with its values.
    var lines: [String] { recorded.withLock { $0 } }

    /// A logger that writes them.
    var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
            recorder.recorded.withLock { $0.append((["\(event.message)"] + values).joined(separator: " ")) }
        }
    }
}

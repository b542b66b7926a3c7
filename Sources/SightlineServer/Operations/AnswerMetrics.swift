import HTTPServing
import Logging
import Metrics
import Synchronization

/// The counters of a service: those of its server, its pictures and its models, and the log.
package struct AnswerMetrics: Sendable {
    /// The outcome of a picture.
    enum Outcome: String, CaseIterable {
        case answered, unusable, refused, late, left, failed
    }

    /// The counters of the server.
    package let server: ServerMetrics
    /// The log of the service.
    package let logger: Logger
    private let pictures: [Outcome: Counter]
    private let updates: [Bool: Counter]
    private let failures = Failures()
    private let inside: Gauge
    private let insideCount = Count()

    /// A number that several tasks change.
    private final class Count: Sendable {
        private let value = Mutex(0)

        var current: Int { value.withLock { $0 } }

        func add(_ change: Int) -> Int {
            value.withLock { value in
                value += change
                return value
            }
        }
    }

    /// The failures since their last lines in the log, by message and reason.
    private final class Failures: Sendable {
        private let notices = Mutex(NoticeCounter<String>(limit: 256))

        func count(_ failure: String) -> Int? { notices.withLock { $0.count(failure) } }
    }

    /// Creates counters that begin with 0.
    package init(logger: Logger = Logger(label: "sightline-serve") { _ in JSONLogHandler() }) {
        self.logger = logger
        server = ServerMetrics(name: "serve")
        let server = server
        pictures = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map {
                (
                    $0,
                    server.counter(
                        "pictures_total",
                        help: "Pictures by outcome.",
                        dimensions: [("outcome", $0.rawValue)]
                    )
                )
            }
        )
        updates = Dictionary(
            uniqueKeysWithValues: [(true, "switched"), (false, "failed")].map {
                (
                    $0,
                    server.counter(
                        "model_updates_total",
                        help: "New versions of a hub's models, by outcome.",
                        dimensions: [("outcome", $1)]
                    )
                )
            }
        )
        inside = server.gauge("pictures_waiting", help: "Pictures that wait or are analyzed.")
        inside.record(0)
    }

    /// Logs a failure of the server: for each reason one line a minute, with the number of failures since the last.
    func report(_ message: String, _ error: any Error) {
        let reason = "\(error)"
        guard let count = failures.count("\(message) \(reason.prefix(300))") else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if count > 1 { metadata["failures"] = "\(count)" }
        logger.error("\(message)", metadata: metadata)
    }

    /// The number of pictures that wait or are analyzed.
    var picturesInside: Int { insideCount.current }

    /// Counts a picture that waits or is analyzed.
    func began() { inside.record(insideCount.add(1)) }

    /// Counts a picture that has left.
    func ended(_ outcome: Outcome) {
        inside.record(insideCount.add(-1))
        pictures[outcome]?.increment()
    }

    /// Counts a new version of a model, which is in use or could not be used.
    func updated(isInUse: Bool) { updates[isInUse]?.increment() }
}

import HTTPServing
import Logging
import Synchronization

/// Logs the causes of failures that the messages for clients leave out, such as the words of a database. A cause is logged
/// once a minute at most.
final class FailureLog: Sendable {
    private let notices = Mutex(NoticeCounter<String>(limit: 256))

    /// Logs the cause of an error if it has any, and if it is due.
    func note(_ error: HubError, _ logger: Logger) {
        guard let cause = error.cause, let count = notices.withLock({ $0.count(cause) }) else { return }
        logger.error("cause of failures", metadata: ["cause": "\(cause)", "failures": "\(count)"])
    }
}

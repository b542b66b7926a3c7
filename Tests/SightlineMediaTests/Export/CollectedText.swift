import Synchronization

/// The text that a sink wrote.
final class CollectedText: Sendable {
    private let text = Mutex("")

    var value: String { text.withLock { $0 } }

    func append(_ part: String) { text.withLock { $0 += part } }
}

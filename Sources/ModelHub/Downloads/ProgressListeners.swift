import Synchronization

/// Those who want to know how far a transfer is.
final class ProgressListeners: Sendable {
    private let listeners = Mutex<[Int: @Sendable (DownloadProgress) -> Void]>([:])

    func add(_ listener: @escaping @Sendable (DownloadProgress) -> Void, as number: Int) {
        listeners.withLock { $0[number] = listener }
    }

    func remove(_ number: Int) { listeners.withLock { $0[number] = nil } }

    /// Calls them outside the lock, so that they may do what they like.
    func report(_ progress: DownloadProgress) {
        for listener in listeners.withLock({ Array($0.values) }) { listener(progress) }
    }
}

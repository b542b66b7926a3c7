import SightlineLocks

/// The listeners to the progress of a transfer.
final class ProgressListeners: Sendable {
    private let listeners = Mutex<[Int: @Sendable (DownloadProgress) -> Void]>([:])

    func add(_ listener: @escaping @Sendable (DownloadProgress) -> Void, as number: Int) {
        listeners.withLock { $0[number] = listener }
    }

    func remove(_ number: Int) { listeners.withLock { $0[number] = nil } }

    /// Calls the listeners outside the lock, so that they may do anything.
    func report(_ progress: DownloadProgress) {
        for listener in listeners.withLock({ Array($0.values) }) { listener(progress) }
    }
}

import Synchronization

/// A change of the hub's records, through this hub or another.
package enum StoreChange: Sendable, Hashable {
    /// Records of a project changed.
    case project(String)
    /// Any records may have changed, because the hub heard of no changes for a while.
    case anything
}

/// Changes of the records: those of this process and, in a database that several hubs share, those of others.
final class ChangeFeed: Sendable {
    private struct State {
        var receivers: [@Sendable (StoreChange) -> Void] = []
        var streams: [Int: AsyncStream<StoreChange>.Continuation] = [:]
        var nextID = 0
        var isComplete: Bool
    }

    private let state: Mutex<State>

    /// - Parameter isComplete: Whether the feed reports every change from the beginning.
    init(isComplete: Bool) { state = Mutex(State(isComplete: isComplete)) }

    /// Whether the feed reports every change at present.
    var isComplete: Bool { state.withLock { $0.isComplete } }

    /// Sets whether the feed is complete from this point. Changes may have been missed before.
    func setComplete(_ isComplete: Bool) {
        state.withLock { $0.isComplete = isComplete }
        send(.anything)
    }

    /// Calls a receiver with every change, before the change's author is notified of its success.
    func onChange(_ receiver: @escaping @Sendable (StoreChange) -> Void) {
        state.withLock { $0.receivers.append(receiver) }
    }

    /// The changes from now on. A slow reader gets only the newest ones, after ``StoreChange/anything``.
    func changes() -> AsyncStream<StoreChange> {
        let (stream, continuation) = AsyncStream<StoreChange>.makeStream(bufferingPolicy: .bufferingNewest(100))
        let id = state.withLock { state in
            state.nextID += 1
            state.streams[state.nextID] = continuation
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.streams.removeValue(forKey: id) }
        }
        return stream
    }

    /// Sends a change to all receivers.
    func send(_ change: StoreChange) {
        let (receivers, streams) = state.withLock { ($0.receivers, Array($0.streams.values)) }
        for receiver in receivers { receiver(change) }
        for stream in streams {
            if case .dropped = stream.yield(change) { stream.yield(.anything) }
        }
    }
}

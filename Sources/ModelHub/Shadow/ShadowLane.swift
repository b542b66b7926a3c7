import SightlineLocks

/// A short line of work that nobody waits for: one piece at a time on the quiet thread, two in line, and no room beyond that.
package final class ShadowLane: Sendable {
    private struct State {
        var waiting: [@Sendable () async -> Void] = []
        var isWorking = false
    }

    /// The number of pieces that may wait, besides the one that runs.
    package static let limit = 2

    private let state = Mutex(State())

    /// Creates an empty line.
    package init() {}

    /// Adds a piece of work, and returns at once.
    ///
    /// - Returns: false if there is no room, and then the work is never done.
    package func offer(_ work: @escaping @Sendable () async -> Void) -> Bool {
        let (isTaken, begins) = state.withLock { state -> (Bool, Bool) in
            guard state.waiting.count < Self.limit else { return (false, false) }
            state.waiting.append(work)
            defer { state.isWorking = true }
            return (true, !state.isWorking)
        }
        if begins {
            Task(executorPreference: QuietExecutor.shared, priority: .background) {
                while let work = self.next() { await work() }
            }
        }
        return isTaken
    }

    private func next() -> (@Sendable () async -> Void)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isWorking = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}

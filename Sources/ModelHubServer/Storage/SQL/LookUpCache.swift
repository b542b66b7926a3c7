import Synchronization

/// The results of frequent look-ups.
///
/// A result stays for a second at most, and until a change of its project, or of anything if the database only reports that
/// something changed. While a change can stay unknown, every look-up asks the database.
final class LookUpCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var project: String
        var time: ContinuousClock.Instant
        /// The number of the database's changes before the look-up.
        var changeNumber: Int64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The number of changes so far: a result that was read before a change is not kept.
        var changeCount = 0
    }

    private let state = Mutex(State())
    private let database: any SQLDatabase

    private let lifetime = Duration.seconds(1)
    /// The maximum number of results.
    private let limit = 10_000

    init(_ database: any SQLDatabase) {
        self.database = database
        database.feed.onChange { [weak self] change in self?.drop(change) }
    }

    /// The known result for a key, or that of a look-up. An absent result is not kept.
    ///
    /// - Parameter project: The project of a result.
    func value(
        for key: Key,
        of project: (Value) -> String,
        _ lookUp: () async throws -> Value?
    ) async throws -> Value? {
        guard let changeNumber = database.changeNumber() else { return try await lookUp() }
        let (known, changeCount) = state.withLock { ($0.entries[key], $0.changeCount) }
        let time = ContinuousClock.now
        if let known, known.changeNumber == changeNumber, time - known.time < lifetime { return known.value }
        guard let value = try await lookUp() else { return nil }
        state.withLock { state in
            guard state.changeCount == changeCount else { return }
            if state.entries.count >= limit { state.entries = [:] }
            state.entries[key] = Entry(value: value, project: project(value), time: time, changeNumber: changeNumber)
        }
        return value
    }

    private func drop(_ change: StoreChange) {
        state.withLock { state in
            state.changeCount += 1
            switch change {
            case .project(let project): state.entries = state.entries.filter { $0.value.project != project }
            case .anything: state.entries = [:]
            }
        }
    }
}

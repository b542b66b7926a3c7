import SightlineLocks

/// Calls that are made at most once at a time for each key: callers that come meanwhile share the result.
package final class SharedCall<Key: Hashable & Sendable, Output: Sendable, Failure: Error>: Sendable {
    private let running = Mutex<[Key: Task<Result<Output, Failure>, Never>]>([:])

    /// Creates a table without calls.
    package init() {}

    /// Whether a call is under way.
    package func isUnderWay(_ key: Key) -> Bool { running.withLock { $0[key] != nil } }

    /// The result of the call under way, or else of a new one. It continues when the caller is canceled.
    ///
    /// The call has ended for later callers before any caller learns of its result.
    package func result(
        for key: Key,
        isolation: isolated (any Actor)? = #isolation,
        of work: @escaping @Sendable () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        let task = running.withLock { calls in
            if let task = calls[key] { return task }
            let task = Task<Result<Output, Failure>, Never> {
                defer { self.running.withLock { $0[key] = nil } }
                do throws(Failure) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            calls[key] = task
            return task
        }
        return try await task.value.get()
    }

    /// The result of a call that begins from now on. A call under way may have read what has changed since, so this
    /// waits for its end; callers that wait for it share the next call.
    package func newResult(
        for key: Key,
        isolation: isolated (any Actor)? = #isolation,
        of work: @escaping @Sendable () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        _ = await running.withLock { $0[key] }?.value
        return try await result(for: key, of: work)
    }
}

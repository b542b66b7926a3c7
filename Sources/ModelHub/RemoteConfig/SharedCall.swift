/// A call that an actor makes at most once at a time: callers that come meanwhile share its result.
final class SharedCall<Output: Sendable, Failure: Error> {
    private var running: Task<Result<Output, Failure>, Never>?

    /// Whether a call is under way.
    var isUnderWay: Bool { running != nil }

    /// The result of the call under way, or else of a new one. It goes on when the caller is cancelled.
    func result(
        isolation: isolated any Actor = #isolation,
        of work: @escaping @Sendable () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        if let running { return try await result(of: running) }
        let task = Task {
            do throws(Failure) {
                return Result<Output, Failure>.success(try await work())
            } catch {
                return .failure(error)
            }
        }
        running = task
        return try await result(of: task)
    }

    /// The result of a call that begins from now on. A call under way may have read what has changed since, so this
    /// waits for its end; callers that wait for it share the next call.
    func newResult(
        isolation: isolated any Actor = #isolation,
        of work: @escaping @Sendable () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        if let running { _ = try? await result(of: running) }
        return try await result(of: work)
    }

    private func result(
        isolation: isolated any Actor = #isolation,
        of task: Task<Result<Output, Failure>, Never>
    ) async throws(Failure) -> Output {
        let result = await task.value
        // The first caller that learns of the end clears the call, so that later ones do not join what has ended.
        if running == task { running = nil }
        return try result.get()
    }
}

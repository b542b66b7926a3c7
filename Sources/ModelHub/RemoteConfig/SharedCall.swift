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
        if let running { return try await running.value.get() }
        let task = Task {
            do throws(Failure) {
                return Result<Output, Failure>.success(try await work())
            } catch {
                return .failure(error)
            }
        }
        running = task
        let result = await task.value
        running = nil
        return try result.get()
    }
}

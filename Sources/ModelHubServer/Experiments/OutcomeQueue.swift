/// Writes batches of outcomes one after another.
///
/// All changes of the hub share one writer. Because at most one batch is in the writer at any time, another change waits for one
/// batch, and not for all batches that apps send at once.
actor OutcomeQueue {
    /// How many batches of each project are written or wait to be.
    private var counts: [String: Int] = [:]
    private var last: Task<Bool, any Error>?

    /// The most batches of a project, so that the apps of one project do not keep out those of others.
    private static let limit = 16

    /// Calls `write` after the batches before it are written, and returns its result.
    ///
    /// - Throws: `.resourceExhausted` if too many batches of the project wait; the error that `write` throws.
    func inTurn(of project: String, write: @escaping @Sendable () async throws -> Bool) async throws -> Bool {
        let count = counts[project, default: 0]
        guard count < Self.limit else {
            throw HubError(
                .resourceExhausted,
                "The project's apps report more outcomes than the hub can write; keep the batch, and send it again later.",
                retryAfter: .seconds(1)
            )
        }
        counts[project] = count + 1
        let before = last
        let task = Task {
            _ = await before?.result
            return try await write()
        }
        last = task
        let result = await task.result
        counts[project] = counts[project, default: 1] - 1
        if counts[project] == 0 { counts[project] = nil }
        return try result.get()
    }
}

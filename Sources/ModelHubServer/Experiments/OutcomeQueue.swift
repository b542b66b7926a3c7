/// Writes batches of outcomes in order.
///
/// All changes of the hub share a writer. At most one batch is in the writer at any time, so another change waits for
/// at most one batch and not for all batches that apps send at the same time.
actor OutcomeQueue {
    /// The number of batches of each project that are being written or waiting.
    private var counts: [String: Int] = [:]
    private var last: Task<Bool, any Error>?

    /// The maximum number of batches per project, so that the apps of a project do not block other projects.
    private static let limit = 16

    /// Calls `write` after all earlier batches are written, and returns its result.
    ///
    /// - Throws: `.resourceExhausted` if too many batches of the project wait, or the error of `write`.
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

/// A bounded number of connections. Callers beyond it wait in line, for a bounded time.
actor PostgresPool {
    private let maximum: Int
    private let address: PostgresAddress
    private var count = 0
    /// The connection that was used last comes first: in quiet times, the others stay idle.
    private var free: [PostgresConnection] = []
    private var waiting: [(id: Int, continuation: CheckedContinuation<PostgresConnection?, Never>)] = []
    private var nextID = 0
    /// The last failure to reach the server, so that callers do not wait in line for the same failure.
    private var failure: (time: ContinuousClock.Instant, error: PostgresError)?

    /// The time that a caller waits for a connection.
    private static let timeout = Duration.seconds(5)
    /// The time between two attempts to reach a server that cannot be reached.
    private static let pause = Duration.seconds(1)

    init(_ address: PostgresAddress, maximum: Int) {
        self.address = address
        self.maximum = maximum
    }

    /// Calls a body with a connection that nothing else uses meanwhile.
    ///
    /// - Throws: `.unavailable` if no connection becomes free, or if the server could not be reached a moment ago.
    nonisolated func withConnection<Value: Sendable>(
        _ body: @Sendable (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await take()
        do {
            let value = try await body(connection)
            await put(connection, after: nil)
            return value
        } catch {
            await put(connection, after: error)
            throw error
        }
    }

    private func take() async throws -> PostgresConnection {
        if let failure, .now - failure.time < Self.pause { throw failure.error }
        if let connection = free.popLast() { return connection }
        if count < maximum {
            count += 1
            return PostgresConnection(address)
        }
        nextID += 1
        let id = nextID
        let deadline = Task {
            try await Task.sleep(for: Self.timeout)
            giveUp(id)
        }
        defer { deadline.cancel() }
        guard let connection = await withCheckedContinuation({ waiting.append((id, $0)) }) else {
            throw failure?.error ?? .busy
        }
        return connection
    }

    private func put(_ connection: PostgresConnection, after error: (any Error)?) {
        if let error = error as? PostgresError, error.isUnreachable {
            failure = (.now, error)
            for (_, continuation) in waiting { continuation.resume(returning: nil) }
            waiting = []
        } else {
            failure = nil
        }
        if waiting.isEmpty {
            free.append(connection)
        } else {
            waiting.removeFirst().continuation.resume(returning: connection)
        }
    }

    private func giveUp(_ id: Int) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).continuation.resume(returning: nil)
    }

    /// Closes the connections that are not in use.
    func close() async {
        let idle = free
        for connection in idle { await connection.close() }
    }
}

import Dispatch

/// A connection to PostgreSQL that opens when it is needed, and again after it was lost.
///
/// Its calls wait for the server, so it runs on a separate queue instead of the threads of the Swift runtime.
actor PostgresConnection {
    private let address: PostgresAddress
    private let queue = QueueExecutor(label: "PostgreSQL")
    private(set) var session: PostgresSession?

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(_ address: PostgresAddress) { self.address = address }

    /// Calls a body with a transaction.
    ///
    /// - Parameters:
    ///   - begin: The statements that begin the transaction; nil for a body without a transaction.
    ///   - body: The body. If the connection was lost before anything could take effect, it is opened again, and the body
    ///     is called again.
    /// - Returns: The body's result, and the projects whose changes it announced.
    func run<Value: Sendable>(
        in begin: String?,
        _ body: @Sendable (any SQLTransaction) throws -> Value
    ) throws -> (value: Value, changedProjects: Set<String>) {
        let isFirstUse = session == nil
        do {
            return try runOnce(in: begin, body)
        } catch let error as Interruption {
            guard !isFirstUse, !error.isEndUncertain else { throw error.reason }
        }
        do {
            return try runOnce(in: begin, body)
        } catch let error as Interruption {
            throw error.reason
        }
    }

    /// The loss of the connection.
    private struct Interruption: Error {
        let reason: any Error
        /// Whether the transaction may have taken effect.
        let isEndUncertain: Bool
    }

    private func runOnce<Value: Sendable>(
        in begin: String?,
        _ body: @Sendable (any SQLTransaction) throws -> Value
    ) throws -> (value: Value, changedProjects: Set<String>) {
        let session = try openSession()
        var isEnding = false
        do {
            guard let begin else { return (try body(session), []) }
            try session.beginTransaction(begin)
            let value = try body(session)
            // The server would answer COMMIT by undoing the changes.
            guard !session.hasFailed else {
                throw HubError(.internal, "A statement of a transaction failed; please report this.")
            }
            isEnding = true
            try session.execute(session.changedProjects.map { Self.notification(of: $0) }.joined() + "COMMIT")
            return (value, session.changedProjects)
        } catch {
            if session.isLost {
                self.session = nil
                throw Interruption(reason: error, isEndUncertain: isEnding)
            }
            // A connection without an open transaction answers this with a warning.
            if begin != nil, (try? session.execute("ROLLBACK")) == nil { self.session = nil }
            throw error
        }
    }

    /// The value of a query outside a transaction.
    func value<Value: SQLConvertible>(_ type: Value.Type, _ sql: String) throws -> Value? {
        try run(in: nil) { db in try db.value(type, sql) }.value
    }

    /// The time of the server.
    func time() throws -> Timestamp { Timestamp(milliseconds: try value(Int64.self, DatabaseClock.query) ?? 0) }

    func openSession() throws -> PostgresSession {
        if let session { return session }
        let session = try PostgresSession(address)
        self.session = session
        return session
    }

    /// Closes the connection. The next use opens it again.
    func close() { session = nil }
}

/// A queue that runs the parts of an actor, one after another.
private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

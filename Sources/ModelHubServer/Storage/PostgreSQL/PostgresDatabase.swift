import Foundation

/// A PostgreSQL database, which any number of hubs share.
///
/// Transactions that change records of the same project run one after another, as all do in SQLite.
struct PostgresDatabase: SQLDatabase {
    private let address: PostgresAddress
    private let pool: PostgresPool
    private let listening: Task<Void, Never>
    private let clock: DatabaseClock
    let feed = ChangeFeed(isComplete: false)

    /// The number of connections of a hub, besides the one for notifications.
    private static let connectionCount = 8
    /// The number of attempts at a transaction that others are in the way of.
    private static let attempts = 10

    /// Opens the database, and creates or migrates its tables if necessary.
    ///
    /// - Throws: `.unavailable` if the server cannot be reached; `.failedPrecondition` if the tables are those of a newer
    ///   hub, or libpq is missing.
    init(_ address: PostgresAddress) async throws {
        self.address = address
        let pool = PostgresPool(address, maximum: Self.connectionCount)
        let clock: DatabaseClock
        do {
            clock = try await pool.withConnection { connection in
                try await connection.migrate(HubSchema.migrations, in: address)
                return DatabaseClock(try await connection.time())
            }
        } catch let error as PostgresError {
            throw HubError(
                .unavailable,
                "The database \(address) cannot be used (\(error)); check that the server runs, the address, and the password in PGPASSWORD."
            )
        }
        self.pool = pool
        self.clock = clock
        listening = Task { [feed] in await PostgresConnection(address).report(to: feed, setting: clock) }
    }

    var isShared: Bool { true }

    /// The feed reports all changes, unless it is interrupted.
    func changeNumber() -> Int64? { feed.isComplete ? 0 : nil }

    func now() -> Timestamp { clock.now }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await run(in: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body).value
    }

    func write<Value: Sendable>(
        in project: String?,
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        let locks =
            project.map { "\(PostgresLock.records.shared); \(PostgresLock.project($0).exclusive)" }
            ?? PostgresLock.records.exclusive
        let (value, projects) = try await run(in: "BEGIN ISOLATION LEVEL READ COMMITTED; \(locks)", body)
        // The notification reaches this hub a little later.
        for project in projects { feed.send(.project(project)) }
        return value
    }

    func lookUp<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await run(in: nil, body).value
    }

    private func run<Value: Sendable>(
        in begin: String?,
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> (value: Value, changedProjects: Set<String>) {
        var attempt = 1
        while true {
            do {
                return try await pool.withConnection { try await $0.run(in: begin, body) }
            } catch let error as PostgresError {
                guard error.isConflict, attempt < Self.attempts else { throw error.hubError ?? error }
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...(20 * attempt))))
                attempt += 1
            }
        }
    }

    /// The server checks its files by itself.
    func damage() async throws -> [String] { [] }

    func backUp(to url: URL) async throws {
        let file = try SQLiteDatabase(url)
        try await read { source in try file.writeNow { target in try RecordCopy.run(from: source, to: target) } }
        try await file.close()
    }

    func withExclusiveLease(_ work: SharedWork, _ body: @Sendable () async throws -> Void) async throws -> Bool {
        // The lock belongs to the connection: if that is lost, another hub may begin.
        try await pool.withConnection { connection in
            let lock = PostgresLock(work)
            guard try await connection.value(Bool.self, lock.attempt) == true else { return false }
            do {
                try await body()
            } catch {
                _ = try? await connection.value(Bool.self, lock.end)
                throw error
            }
            _ = try await connection.value(Bool.self, lock.end)
            return true
        }
    }

    func close() async throws {
        listening.cancel()
        await listening.value
        await pool.close()
    }
}

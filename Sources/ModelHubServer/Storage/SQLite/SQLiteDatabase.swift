import Crypto
import Foundation
import GRDB
import NIOCore

/// A SQLite database in WAL mode, which allows simultaneous readers and a single writer in several processes.
struct SQLiteDatabase: SQLDatabase {
    private let pool: DatabasePool
    /// Connections for fast look-ups, so that these wait neither for a long list nor for one another.
    private let lookups: DatabasePool
    private let changes: SQLiteChangeCounter
    /// Other processes on this machine also change the records, for example commands; the feed does not report these.
    let feed = ChangeFeed(isComplete: false)

    /// Opens the database in a file, and creates or migrates it if necessary.
    ///
    /// - Parameter migrations: the migrations of this version; others in tests of upgrades.
    init(_ file: URL, migrations: [Migration] = HubSchema.migrations) throws {
        var configuration = Configuration()
        // A command and the server may write at the same time.
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        configuration.journalMode = .wal
        configuration.prepareDatabase { db in
            // A transaction survives a power failure once its caller got the response.
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        pool = try DatabasePool(path: file.path, configuration: configuration)
        let migrator = Self.migrator(migrations)
        let (isSuperseded, applied) = try pool.read { db in
            try (migrator.hasBeenSuperseded(db), migrator.appliedIdentifiers(db))
        }
        guard !isSuperseded else {
            throw HubError(
                .failedPrecondition,
                "The database \(file.path) was written by a newer hub, or before version 0.1.0; install that version, or restore another backup."
            )
        }
        let known = migrations.filter { applied.contains($0.name) }
        if let last = known.last {
            try pool.read { db in
                guard try !Self.hasTablesOfThisVersion(db) else { return }
                try TableShapes(db).check(
                    against: TableShapes(known),
                    of: "the database \(file.path)",
                    version: last.name
                )
            }
        }
        if known.count < migrations.count {
            try migrator.migrate(pool)
            // The connection of the checks above knows only the tables before the migration.
            pool.invalidateReadOnlyConnections()
        }
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(10)
        // Each event loop can have one.
        reading.maximumReaderCount = max(System.coreCount, 4)
        lookups = try DatabasePool(path: file.path, configuration: reading)
        changes = try SQLiteChangeCounter(file)
    }

    /// Opens the database of a hub in a file that only its owner can read.
    static func open(_ file: URL) throws(HubError) -> SQLiteDatabase {
        // The database contains the signing key. SQLite gives its other files the same permissions.
        let descriptor = Foundation.open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Foundation.close(descriptor) }
        do {
            return try SQLiteDatabase(file)
        } catch let error as HubError {
            throw error
        } catch {
            throw HubError(
                .internal,
                "The database \(file.path) cannot be opened (\(error)); check the folder's permissions, or restore a backup."
            )
        }
    }

    /// Whether the statements of this version made all tables, word for word. Every start and command asks this first, because a
    /// comparison of the tables' shapes takes many times as long.
    private static func hasTablesOfThisVersion(_ db: Database) throws -> Bool {
        let statements = try String.fetchAll(
            db,
            sql: """
                SELECT sql FROM sqlite_schema
                WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' AND name <> 'grdb_migrations' ORDER BY name
                """
        )
        let hash = SHA256.hash(data: Data(statements.joined(separator: "\n").utf8))
        return hash.hexadecimalText == HubSchema.sqliteTables
    }

    private static func migrator(_ migrations: [Migration]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration(migration.name) { db in
                try db.execute(sql: SQLDialect.sqlite.statements(of: migration))
            }
        }
        return migrator
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await SQLiteFailure.translating {
            try await pool.read { db in try body(SQLiteTransaction(db: db)) }
        }
    }

    /// Reads on the caller's thread.
    func readNow(_ body: (any SQLTransaction) throws -> Void) throws {
        try pool.read { db in try body(SQLiteTransaction(db: db)) }
    }

    /// Writes on the caller's thread.
    func writeNow(_ body: (any SQLTransaction) throws -> Void) throws {
        try pool.write { db in try body(SQLiteTransaction(db: db)) }
    }

    /// SQLite has a single writer for all projects.
    func write<Value: Sendable>(
        in project: String?,
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        let (value, projects) = try await SQLiteFailure.translating {
            try await pool.write { db in
                let transaction = SQLiteTransaction(db: db)
                return (try body(transaction), transaction.changedProjects)
            }
        }
        for project in projects { feed.send(.project(project)) }
        return value
    }

    /// The hub in the data folder is the only one.
    var isShared: Bool { false }

    func now() -> Timestamp { .now }

    func changeNumber() -> Int64? { changes.value() }

    func withExclusiveLease(_ work: SharedWork, _ body: @Sendable () async throws -> Void) async throws -> Bool {
        try await body()
        return true
    }

    /// Runs on the caller's thread and without a transaction: a change of threads takes several times as long as a
    /// query that uses indexes.
    func lookUp<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await SQLiteFailure.translating { try lookUpNow(body) }
    }

    private func lookUpNow<Value>(_ body: (any SQLTransaction) throws -> Value) throws -> Value {
        try lookups.unsafeRead { db in try body(SQLiteTransaction(db: db)) }
    }

    func damage() async throws -> [String] {
        try await pool.read { db in
            let found = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
            let dangling = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { row in
                "a record of \(row[0] as String? ?? "?") refers to a missing record"
            }
            return found + dangling
        }
    }

    func backUp(to url: URL) async throws {
        try await pool.writeWithoutTransaction { db in
            try db.execute(sql: "VACUUM INTO ?", arguments: [url.path])
        }
    }

    /// Moves everything into the file, and closes it.
    func close() async throws { try closeNow() }

    private func closeNow() throws {
        changes.close()
        try lookups.close()
        // SQLite does this when the last writer closes the file, but GRDB closes readers after the writer; then the last
        // changes would stay in the file beside it.
        try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try pool.close()
    }
}

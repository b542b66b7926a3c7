import Foundation
import GRDB

/// A store in a SQLite database in WAL mode, which allows simultaneous readers and a single writer in several
/// processes.
struct SQLiteMetadataStore: MetadataStore {
    let pool: DatabasePool
    /// A separate connection for fast look-ups, so that they never wait for a long list.
    let lookups: DatabaseQueue

    /// Opens the database in a file, and creates or migrates it if necessary.
    init(_ file: URL) throws {
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
        try HubSchema.migrator.migrate(pool)
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(10)
        lookups = try DatabaseQueue(path: file.path, configuration: reading)
    }

    /// Closes the file. The last writer to close it moves everything into the file.
    func close() throws {
        try lookups.close()
        try pool.close()
    }

    func signingKey() async throws -> [UInt8] {
        let made = Data(RandomBytes.make(32))
        return try await pool.write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO setting (key, value) VALUES ('signing-key', ?)",
                arguments: [made]
            )
            let key = try Data.fetchOne(db, sql: "SELECT value FROM setting WHERE key = 'signing-key'")
            return Array(key ?? made)
        }
    }

    func check() async throws {
        try await pool.write { db in
            try db.execute(sql: "INSERT OR REPLACE INTO setting (key, value) VALUES ('checked', 1)")
        }
    }

    func backUp(to url: URL) async throws {
        try await pool.writeWithoutTransaction { db in
            try db.execute(sql: "VACUUM INTO ?", arguments: [url.path])
        }
    }

    func integrityProblems() async throws -> [String] {
        try await pool.read { db in
            let found = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
            let dangling = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { row in
                "a record of \(row[0] as String? ?? "?") refers to a missing record"
            }
            let misplaced = try String.fetchAll(
                db,
                sql: """
                    SELECT 'model ' || model.id || ' serves a version that is not its own' FROM model
                    WHERE version IS NOT NULL AND NOT EXISTS (
                        SELECT 1 FROM version WHERE version.model = model.id AND version.number = model.version
                            AND version.hash = model.hash AND version.size = model.size)
                    """
            )
            return found + dangling + misplaced
        }
    }

    /// Writes the entry of the audit log for a change.
    static func log(_ entry: AuditEntry, _ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO audit (time, project, actor, action, target, detail) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                entry.time.milliseconds, entry.project, entry.actor, entry.action, entry.target, entry.detail,
            ]
        )
    }

    func auditLog(of project: String, limit: Int) async throws -> [AuditEntry] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM audit WHERE project = ? ORDER BY id DESC LIMIT ?",
                arguments: [project, limit]
            ).map { row in
                AuditEntry(
                    time: Timestamp(milliseconds: row["time"]),
                    project: row["project"],
                    actor: row["actor"],
                    action: row["action"],
                    target: row["target"],
                    detail: row["detail"]
                )
            }
        }
    }
}

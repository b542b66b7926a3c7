import Foundation
import GRDB

extension SQLiteMetadataStore {
    func check() async throws {
        try await pool.write { db in
            _ = try db.insert(
                ["key": "checked", "value": 1],
                into: "setting",
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            )
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
            let unstored = try String.fetchAll(
                db,
                sql: """
                    SELECT 'the file ' || hash || ' is needed but not recorded as stored'
                    FROM (SELECT hash FROM version UNION SELECT hash FROM object) AS needed
                    WHERE NOT EXISTS (SELECT 1 FROM blob WHERE blob.hash = needed.hash AND blob.state = 'stored')
                    """
            )
            return found + dangling + misplaced + unstored
        }
    }

    func auditLog(of project: String, limit: Int) async throws -> [AuditEntry] {
        try await pool.read { db in
            try db.rows(
                "SELECT * FROM audit WHERE project = :project ORDER BY id DESC LIMIT :limit",
                ["project": project, "limit": limit]
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

    /// Writes the entry of the audit log for a change.
    static func log(_ entry: AuditEntry, _ db: Database) throws {
        try db.insert(
            [
                "time": entry.time.milliseconds,
                "project": entry.project,
                "actor": entry.actor,
                "action": entry.action,
                "target": entry.target,
                "detail": entry.detail,
            ],
            into: "audit"
        )
    }
}

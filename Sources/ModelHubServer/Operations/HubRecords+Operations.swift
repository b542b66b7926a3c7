import Foundation
import ModelHubProtocol

extension HubRecords {
    /// Checks that the store can be read and written.
    func check() async throws {
        try await database.write { db in
            _ = try db.insert(
                ["key": "checked", "value": Data([1])],
                into: "setting",
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            )
        }
    }

    var isShared: Bool { database.isShared }

    /// The current time, on which all hubs of the store agree.
    func now() -> Timestamp { database.now() }

    /// The changes of records from now on, through this hub and others. Changes without an entry of the audit log are not
    /// among them.
    func changes() -> AsyncStream<StoreChange> { database.feed.changes() }

    /// Calls a body unless another hub does such work at this moment; returns whether it did.
    func withExclusiveLease(
        _ work: SharedWork = .housekeeping,
        _ body: @Sendable () async throws -> Void
    ) async throws -> Bool {
        try await database.withExclusiveLease(work, body)
    }

    /// Writes a consistent copy of all records into a new file while others read and write.
    func backUp(to url: URL) async throws { try await database.backUp(to: url) }

    /// Takes over all records in a file of ``backUp(to:)``, at once or not at all.
    ///
    /// - Throws: `.alreadyExists` if the store has a project.
    func takeOver(recordsIn file: URL) async throws {
        let records = try SQLiteDatabase(file)
        try await database.write { target in
            try records.readNow { source in try RecordCopy.run(from: source, to: target) }
        }
        try await records.close()
    }

    /// Closes the store. Nothing may use it afterward.
    func close() async throws { try await database.close() }

    /// Descriptions of damage; empty if there is none.
    func integrityProblems() async throws -> [String] {
        let damage = try await database.damage()
        return try await database.read { db in
            let misplaced = try db.rows(
                """
                SELECT model.id FROM model
                WHERE version IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM version WHERE version.model = model.id AND version.number = model.version
                        AND version.hash = model.hash AND version.size = model.size)
                """
            ).map { "model \(try $0["id"] as Int64) serves a version that is not its own" }
            let unstored = try db.rows(
                """
                SELECT hash FROM (SELECT hash FROM version UNION SELECT hash FROM object) AS needed
                WHERE NOT EXISTS (SELECT 1 FROM blob WHERE blob.hash = needed.hash AND blob.state = 'stored')
                """
            ).map { "the file \(try $0["hash"] as String) is needed but not recorded as stored" }
            return damage + misplaced + unstored
        }
    }

    /// The newest entries of the audit log, newest first.
    func auditLog(of project: String, limit: Int) async throws -> [AuditEntry] {
        try await database.read { db in
            try db.rows(
                "SELECT * FROM audit WHERE project = :project ORDER BY number DESC LIMIT :limit",
                ["project": project, "limit": limit]
            ).map { row in
                try AuditEntry(
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

    /// Entries of the audit log with their hashes.
    ///
    /// - Parameter number: The number after which the entries begin, oldest first; nil for the newest entries, newest first.
    func auditChain(of project: String, after number: Int?, limit: Int) async throws -> [AuditLogResource.Entry] {
        let choice = number == nil ? "ORDER BY number DESC" : "AND number > :number ORDER BY number"
        return try await database.read { db in
            try db.rows(
                "SELECT * FROM audit WHERE project = :project \(choice) LIMIT :limit",
                ["project": project, "number": number, "limit": limit]
            ).map(Self.auditEntry)
        }
    }

    private static func auditEntry(_ row: SQLRow) throws -> AuditLogResource.Entry {
        try AuditLogResource.Entry(
            number: row["number"],
            time: "\(Timestamp(milliseconds: row["time"]))",
            project: row["project"],
            actor: row["actor"],
            action: row["action"],
            target: row["target"],
            detail: row["detail"],
            previous: row["previous"],
            hash: row["hash"]
        )
    }

    /// Writes the entry of the audit log for a change, and announces the change.
    static func log(_ entry: AuditEntry, _ db: any SQLTransaction) throws {
        db.announceChange(of: entry.project)
        let last = try db.row(
            "SELECT number, hash FROM audit WHERE project = :project ORDER BY number DESC LIMIT 1",
            ["project": entry.project]
        ).map { row in try (number: row["number"] as Int, hash: row["hash"] as String) }
        let chained = AuditLogResource.Entry(
            after: last,
            time: "\(entry.time)",
            project: entry.project,
            actor: entry.actor,
            action: entry.action,
            target: entry.target,
            detail: entry.detail
        )
        let id = try db.insertNew(
            [
                "time": entry.time.milliseconds,
                "project": entry.project,
                "actor": entry.actor,
                "action": entry.action,
                "target": entry.target,
                "detail": entry.detail,
                "number": chained.number,
                "previous": chained.previous,
                "hash": chained.hash,
            ],
            into: "audit"
        )
        if id % 256 == 0 { try shortenAuditLog(of: entry.project, db) }
    }

    /// Removes the oldest entries of a project, so that nobody fills the disk with changes.
    ///
    /// Entries of keys, people and projects say who had which rights, and only owners make them. They are counted for
    /// themselves, so that a publisher cannot push them out of the log.
    private static func shortenAuditLog(of project: String, _ db: any SQLTransaction) throws {
        let quota = try db.value(Int.self, "SELECT quota FROM project WHERE id = :id", ["id": project])
        let isOfRights = "(action LIKE 'key.%' OR action LIKE 'person.%' OR action LIKE 'project.%')"
        for (condition, number) in [
            ("NOT \(isOfRights)", AuditEntry.keptCount(quota: quota)), (isOfRights, AuditEntry.keptCount(quota: nil)),
        ] {
            try db.change(
                """
                DELETE FROM audit WHERE project = :project AND \(condition) AND id <= (
                    SELECT id FROM audit WHERE project = :project AND \(condition) ORDER BY id DESC LIMIT 1 OFFSET :number)
                """,
                ["project": project, "number": number]
            )
        }
    }
}

import ModelHubProtocol

/// The audit log.
extension HubRecords {
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
                    detail: row["detail"],
                    event: (row["event"] as String?).flatMap { WebhookEvent(rawValue: $0) }
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

    /// Writes an entry, and returns it as the log has it.
    func logged(_ entry: AuditEntry) async throws -> AuditLogResource.Entry? {
        try await database.write(in: entry.project) { db in
            try Self.log(entry, db)
            return try db.row(
                "SELECT * FROM audit WHERE project = :project AND action = :action ORDER BY number DESC LIMIT 1",
                ["project": entry.project, "action": entry.action]
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
            event: row["event"],
            previous: row["previous"],
            hash: row["hash"]
        )
    }

    /// Problems of the audit logs of all projects, one sentence each: entries that were altered, exchanged or deleted.
    func auditProblems() async throws -> [String] {
        let isShared = database.isShared
        let (projects, empty, areNewestMissing) = try await database.read { db in
            let projects = try db.rows("SELECT DISTINCT project FROM audit ORDER BY project").map {
                try $0["project"] as String
            }
            let empty = try db.rows(
                "SELECT id FROM project WHERE NOT EXISTS (SELECT 1 FROM audit WHERE audit.project = project.id) ORDER BY id"
            ).map { try $0["id"] as String }
            // PostgreSQL also counts the ids of transactions that failed.
            let last = isShared ? nil : try db.lastID(of: "audit")
            let found = try db.value(Int64.self, "SELECT coalesce(max(id), 0) FROM audit") ?? 0
            return (projects, empty, last.map { $0 > found } ?? false)
        }
        var problems = empty.map { "The audit log of \($0) is missing; it was deleted." }
        if areNewestMissing {
            problems.append("The newest changes of the audit log are missing; they were deleted.")
        }
        for project in projects {
            var chain = AuditChain()
            while true {
                let entries = try await auditChain(of: project, after: chain.last?.number ?? 0, limit: 1000)
                for entry in entries { chain.add(entry) }
                guard !entries.isEmpty else { break }
            }
            let name = project == AuditEntry.wholeHub ? "the hub" : project
            problems += chain.problems.prefix(10).map { "In the audit log of \(name), \($0)." }
        }
        return problems
    }

    /// Writes the entry of the audit log for a change, and announces the change.
    static func log(_ entry: AuditEntry, _ db: any SQLTransaction) throws {
        db.announceChange(of: entry.project)
        if try append(entry, db) % 256 == 0 { try shortenAuditLog(of: entry.project, at: entry.time, db) }
    }

    /// Adds an entry to the log of its project, and returns the id of its row.
    private static func append(_ entry: AuditEntry, _ db: any SQLTransaction) throws -> Int64 {
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
            detail: entry.detail,
            event: entry.event?.rawValue
        )
        return try db.insertNew(
            [
                "time": entry.time.milliseconds,
                "project": entry.project,
                "actor": entry.actor,
                "action": entry.action,
                "target": entry.target,
                "detail": entry.detail,
                "event": chained.event,
                "number": chained.number,
                "previous": chained.previous,
                "hash": chained.hash,
            ],
            into: "audit"
        )
    }

    /// Removes the oldest entries of a project, so that changes cannot fill the disk, and records this in the log.
    ///
    /// Entries of keys, people and projects say who had which rights, and only owners make them. They are counted for
    /// themselves, so that a publisher cannot push them out of the log.
    private static func shortenAuditLog(
        of project: String,
        at time: Timestamp,
        _ db: any SQLTransaction
    ) throws {
        let quota = try db.value(Int.self, "SELECT quota FROM project WHERE id = :id", ["id": project])
        for group in AuditRemoval.Group.allCases {
            let condition = "project = :project AND \(condition(of: group))"
            let key: Columns = [
                "project": project, "action": group.action,
                "kept": AuditEntry.keptCount(of: group, quota: quota),
            ]
            let oldest = "SELECT number FROM audit WHERE \(condition) ORDER BY number DESC LIMIT 1 OFFSET :kept"
            guard let last = try db.value(Int.self, oldest, key) else { continue }
            let removal = try db.row(
                "SELECT * FROM audit WHERE project = :project AND action = :action ORDER BY number DESC LIMIT 1",
                key
            ).flatMap { AuditRemoval(try auditEntry($0)) }
            let count = try db.change(
                "DELETE FROM audit WHERE \(condition) AND number <= :last",
                key.merging(["last": last])
            )
            let entry = AuditEntry(
                time: time,
                project: project,
                actor: "hub",
                action: group.action,
                target: "projects/\(project)",
                detail: AuditRemoval(group: group, last: last, count: (removal?.count ?? 0) + count).detail
            )
            _ = try append(entry, db)
        }
    }

    /// Selects the entries of a group, as ``AuditRemoval/Group/init(action:)`` does.
    private static func condition(of group: AuditRemoval.Group) -> String {
        let isOfRights = """
            (action LIKE 'key.%' OR action LIKE 'person.%' OR action LIKE 'project.%'
                OR action = '\(AuditRemoval.Group.rights.action)')
            """
        return group == .rights ? isOfRights : "NOT \(isOfRights)"
    }

    /// Records in the log of each project that the records are those of a backup.
    func logRestoration(at time: Timestamp) async throws {
        try await database.write { db in
            let projects = try db.rows("SELECT DISTINCT project FROM audit ORDER BY project")
            for row in projects {
                let project: String = try row["project"]
                try Self.log(
                    AuditEntry(
                        time: time,
                        project: project,
                        actor: "local",
                        action: AuditLogResource.Entry.restoration,
                        target: project == AuditEntry.wholeHub ? "" : "projects/\(project)"
                    ),
                    db
                )
            }
        }
    }
}

extension HubRecords {
    /// Adds a sign-in link, and removes ended links and the oldest beyond ``SignInLink/maximumCount`` for the same person.
    func insert(_ project: Project, audit: AuditEntry) async throws -> Project {
        try await database.write { db in
            var project = project
            guard try Self.project(project.id, db) == nil else {
                throw HubError(.alreadyExists, "The project \"\(project.id)\" already exists; choose another id.")
            }
            if project.number == 0 {
                // Twelve digits, like Google's project numbers.
                project.number =
                    try db.value(Int64.self, "SELECT coalesce(max(number), 100000000000) + 1 FROM project") ?? 1
            } else if let other = try Self.project("\(project.number)", db) {
                throw HubError(
                    .alreadyExists,
                    "The number \(project.number) belongs to the project \"\(other.id)\"; check the number in Firebase's console."
                )
            }
            try db.insert(
                [
                    "id": project.id,
                    "number": project.number,
                    "createTime": project.createTime.milliseconds,
                    "quota": project.quota,
                    "requiresInstallation": project.requiresInstallation,
                ],
                into: "project"
            )
            try Self.log(audit, db)
            return project
        }
    }

    /// Updates an evaluation, with an entry of the audit log if a caller requested the change.
    func update(_ project: Project, audit: AuditEntry) async throws {
        try await database.write { db in
            try db.update(
                "project",
                set: ["quota": project.quota, "requiresInstallation": project.requiresInstallation],
                where: "id = :id",
                ["id": project.id]
            )
            try Self.log(audit, db)
        }
    }

    /// The project with the given id or number.
    func project(_ idOrNumber: String) async throws -> Project? {
        try await database.read { db in try Self.project(idOrNumber, db) }
    }

    static func project(_ idOrNumber: String, _ db: any SQLTransaction) throws -> Project? {
        // An id is never a number, because ids begin with a letter.
        try db.row(
            "SELECT * FROM project WHERE id = :id OR number = :number",
            ["id": idOrNumber, "number": Int64(idOrNumber)]
        ).map(Self.project)
    }

    static func project(_ row: SQLRow) throws -> Project {
        try Project(
            id: row["id"],
            number: row["number"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            quota: row["quota"],
            requiresInstallation: row["requiresInstallation"]
        )
    }

    /// All projects, by id.
    func projects() async throws -> [Project] {
        try await database.read { db in try db.rows("SELECT * FROM project ORDER BY id").map(Self.project) }
    }

    /// Removes a project without models. Throws `.failedPrecondition` if it has models.
    func deleteProject(_ id: String, audit: AuditEntry) async throws {
        try await database.write { db in
            let key: Columns = ["project": id]
            let count = try db.value(Int.self, "SELECT count(*) FROM model WHERE project = :project", key) ?? 0
            guard count == 0 else {
                throw HubError(.failedPrecondition, "The project \"\(id)\" has \(count) models; delete them first.")
            }
            try Self.release(db, at: audit.time, "SELECT hash FROM object WHERE project = :project", key)
            // The sessions of people with other projects continue with one of these.
            try db.change(
                """
                UPDATE consoleSession SET project = (SELECT min(id) FROM project WHERE id <> :project)
                WHERE project = :project AND enclosure IS NULL AND EXISTS (SELECT 1 FROM project WHERE id <> :project)
                """,
                key
            )
            try db.change("DELETE FROM project WHERE id = :project", key)
            try Self.removePeopleWithoutRoles(at: audit.time, db)
            try Self.log(audit, db)
        }
    }

    /// The usage of a project's quota.
    func usage(of project: String) async throws -> ProjectUsage {
        try await database.read { db in try Self.usage(of: project, db) }
    }

    private static func usage(of project: String, _ db: any SQLTransaction) throws -> ProjectUsage {
        let row = try db.row(usage, ["project": project, "record": ProjectUsage.recordSize])
        return ProjectUsage(byteCount: try row?["byteCount"] ?? 0, quota: try row?["quota"])
    }

    /// Throws an error if a project would exceed its quota after a transaction.
    static func checkQuota(of project: String, _ db: any SQLTransaction) throws {
        let quota = try db.value(Int.self, "SELECT quota FROM project WHERE id = :id", ["id": project])
        // Most projects have no quota, and adding up takes a while.
        guard quota != nil else { return }
        try usage(of: project, db).check(of: project)
    }

    private static let usage = """
        WITH file AS (
            SELECT version.hash, version.size FROM model JOIN version ON version.model = model.id
            WHERE model.project = :project
            UNION ALL SELECT hash, size FROM object WHERE project = :project
            UNION ALL SELECT hash, size FROM photo WHERE project = :project)
        SELECT
            (SELECT quota FROM project WHERE id = :project) AS quota,
            (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM (SELECT max(size) AS size FROM file GROUP BY hash) AS distinctFile)
                + (SELECT count(*) FROM file) * :record
                + (SELECT CAST(coalesce(sum(byteCount), 0) AS BIGINT) FROM evaluation WHERE project = :project) AS byteCount
        """
}

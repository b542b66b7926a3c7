import Foundation
import GRDB

extension SQLiteMetadataStore {
    func insert(_ project: Project, audit: AuditEntry) async throws -> Project {
        try await pool.write { db in
            var project = project
            guard try Self.project(project.id, db) == nil else {
                throw HubError(.alreadyExists, "The project \"\(project.id)\" already exists; choose another id.")
            }
            if project.number == 0 {
                // Twelve digits, like Google's project numbers.
                project.number =
                    try Int64.fetchOne(db, sql: "SELECT coalesce(max(number), 100000000000) + 1 FROM project") ?? 1
            } else if let other = try Self.project("\(project.number)", db) {
                throw HubError(
                    .alreadyExists,
                    "The number \(project.number) belongs to the project \"\(other.id)\"; check the number in Firebase's console."
                )
            }
            try db.execute(
                sql: "INSERT INTO project (id, number, createTime, quota, requiresInstallation) VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    project.id, project.number, project.createTime.milliseconds, project.quota,
                    project.requiresInstallation,
                ]
            )
            try Self.log(audit, db)
            return project
        }
    }

    func update(_ project: Project, audit: AuditEntry) async throws {
        try await pool.write { db in
            try db.execute(
                sql: "UPDATE project SET quota = ?, requiresInstallation = ? WHERE id = ?",
                arguments: [project.quota, project.requiresInstallation, project.id]
            )
            try Self.log(audit, db)
        }
    }

    func project(_ idOrNumber: String) async throws -> Project? {
        try await pool.read { db in try Self.project(idOrNumber, db) }
    }

    static func project(_ idOrNumber: String, _ db: Database) throws -> Project? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM project WHERE id = ? OR number = ?")
        // An id is never a number, because ids begin with a letter.
        return try Row.fetchOne(statement, arguments: [idOrNumber, Int64(idOrNumber)]).map(Self.project)
    }

    static func project(_ row: Row) -> Project {
        Project(
            id: row["id"],
            number: row["number"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            quota: row["quota"],
            requiresInstallation: row["requiresInstallation"]
        )
    }

    func projects() async throws -> [Project] {
        try await pool.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM project ORDER BY id").map(Self.project)
        }
    }

    func deleteProject(_ id: String, audit: AuditEntry) async throws {
        try await pool.write { db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM model WHERE project = ?", arguments: [id]) ?? 0
            guard count == 0 else {
                throw HubError(.failedPrecondition, "The project \"\(id)\" has \(count) models; delete them first.")
            }
            try Self.release(db, time: audit.time, "SELECT hash FROM object WHERE project = ?", [id])
            try db.execute(sql: "DELETE FROM project WHERE id = ?", arguments: [id])
            try Self.log(audit, db)
        }
    }

    func insert(_ credential: Credential, audit: AuditEntry) async throws {
        try await pool.write { db in
            if let hash = credential.secretHash,
                let other = try Row.fetchOne(
                    db,
                    sql: "SELECT * FROM credential WHERE secretHash = ?",
                    arguments: [Data(hash)]
                ).flatMap(Self.credential)
            {
                let key =
                    "The project \"\(other.project)\" already has this key, as \"\(other.name)\" (id \(other.id.prefix(12)))"
                throw HubError(
                    .alreadyExists,
                    other.revokeTime == nil
                        ? "\(key); a key can belong to only one project."
                        : "\(key), and it was revoked; a revocation is permanent, so the app needs a new key."
                )
            }
            try db.execute(
                sql: """
                    INSERT INTO credential (id, project, kind, role, name, secretHash, publicKey, createTime, revokeTime)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    credential.id, credential.project, credential.kind.rawValue, credential.role.rawValue,
                    credential.name, credential.secretHash.map { Data($0) }, credential.publicKey,
                    credential.createTime.milliseconds, credential.revokeTime?.milliseconds,
                ]
            )
            try Self.log(audit, db)
        }
    }

    func credential(id: String) async throws -> Credential? {
        try await pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM credential WHERE id = ?")
            return try Row.fetchOne(statement, arguments: [id]).flatMap(Self.credential)
        }
    }

    func credential(secretHash: [UInt8]) async throws -> Credential? {
        try await pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM credential WHERE secretHash = ?")
            return try Row.fetchOne(statement, arguments: [Data(secretHash)]).flatMap(Self.credential)
        }
    }

    func credentials(of project: String) async throws -> [Credential] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM credential WHERE project = ? ORDER BY createTime, id",
                arguments: [project]
            ).compactMap(Self.credential)
        }
    }

    func revoke(
        credential id: String,
        of project: String,
        at time: Timestamp,
        audit: AuditEntry
    ) async throws -> Bool {
        try await pool.write { db in
            try db.execute(
                sql: "UPDATE credential SET revokeTime = coalesce(revokeTime, ?) WHERE id = ? AND project = ?",
                arguments: [time.milliseconds, id, project]
            )
            guard db.changesCount == 1 else { return false }
            try Self.log(audit, db)
            return true
        }
    }

    private static func credential(_ row: Row) -> Credential? {
        guard let kind = Credential.Kind(rawValue: row["kind"]), let role = Role(rawValue: row["role"]) else {
            return nil
        }
        return Credential(
            id: row["id"],
            project: row["project"],
            kind: kind,
            role: role,
            name: row["name"],
            secretHash: (row["secretHash"] as Data?).map { Array($0) },
            publicKey: row["publicKey"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            revokeTime: (row["revokeTime"] as Int64?).map { Timestamp(milliseconds: $0) }
        )
    }
}

import Foundation

extension SQLMetadataStore {
    func insert(_ session: ConsoleSession, audit: AuditEntry) async throws {
        try await database.write { db in
            let oldest = session.createTime.advanced(by: .zero - ConsoleSession.lifetime)
            let leastUsed = session.createTime.advanced(by: .zero - ConsoleSession.idleLifetime)
            try db.change(
                "DELETE FROM consoleSession WHERE createTime <= :oldest OR useTime <= :leastUsed",
                ["oldest": oldest.milliseconds, "leastUsed": leastUsed.milliseconds]
            )
            let row: Columns = [
                "idHash": Data(session.idHash),
                "project": session.project.id,
                "credential": session.credential,
                "role": session.role.rawValue,
                "actor": session.actor,
                "createTime": session.createTime.milliseconds,
                "useTime": session.useTime.milliseconds,
                "notice": try Self.text(of: session.notice),
            ]
            try db.insert(row, into: "consoleSession")
            try db.change(
                """
                DELETE FROM consoleSession WHERE idHash IN (
                    SELECT idHash FROM (
                        SELECT idHash, row_number() OVER (ORDER BY createTime DESC, idHash = :idHash DESC) AS position
                        FROM consoleSession WHERE project = :project AND credential IS NOT DISTINCT FROM :credential
                    ) AS ranked WHERE position > :maximum)
                """,
                row.merging(["maximum": ConsoleSession.maximumCount])
            )
            try Self.log(audit, db)
        }
    }

    func consoleSession(idHash: [UInt8]) async throws -> ConsoleSession? {
        try await database.read { db in
            try db.row(
                """
                SELECT consoleSession.* FROM consoleSession
                LEFT JOIN credential ON credential.id = consoleSession.credential
                WHERE consoleSession.idHash = :idHash AND credential.revokeTime IS NULL
                """,
                ["idHash": Data(idHash)]
            ).flatMap { try Self.session($0, db) }
        }
    }

    func consoleSessions(of project: String) async throws -> [ConsoleSession] {
        try await database.read { db in
            try db.rows(
                """
                SELECT consoleSession.* FROM consoleSession
                LEFT JOIN credential ON credential.id = consoleSession.credential
                WHERE consoleSession.project = :project AND credential.revokeTime IS NULL
                ORDER BY consoleSession.createTime DESC
                """,
                ["project": project]
            ).compactMap { try Self.session($0, db) }
        }
    }

    private static func session(_ row: SQLRow, _ db: any SQLTransaction) throws -> ConsoleSession? {
        guard let role = try Role(rawValue: row["role"]), let project = try project(row["project"], db) else {
            return nil
        }
        return try ConsoleSession(
            idHash: Array(row["idHash"] as Data),
            project: project,
            credential: row["credential"],
            role: role,
            actor: row["actor"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            useTime: Timestamp(milliseconds: row["useTime"]),
            notice: (row["notice"] as String?).flatMap {
                try? JSONDecoder().decode(ConsoleSession.Notice.self, from: Data($0.utf8))
            }
        )
    }

    func update(_ session: ConsoleSession) async throws {
        try await database.write { db in
            _ = try db.update(
                "consoleSession",
                set: ["useTime": session.useTime.milliseconds, "notice": try Self.text(of: session.notice)],
                where: "idHash = :idHash",
                ["idHash": Data(session.idHash)]
            )
        }
    }

    func deleteConsoleSession(idHash: [UInt8], audit: AuditEntry) async throws {
        try await database.write { db in
            try db.change("DELETE FROM consoleSession WHERE idHash = :idHash", ["idHash": Data(idHash)])
            try Self.log(audit, db)
        }
    }

    func insertSignInLink(codeHash: [UInt8], project: String, expiry: Timestamp, audit: AuditEntry) async throws {
        try await database.write { db in
            try db.change("DELETE FROM signInLink WHERE expiry <= :now", ["now": audit.time.milliseconds])
            try db.insert(
                ["codeHash": Data(codeHash), "project": project, "expiry": expiry.milliseconds],
                into: "signInLink"
            )
            try Self.log(audit, db)
        }
    }

    func takeSignInLink(codeHash: [UInt8], at time: Timestamp) async throws -> Project? {
        try await database.write { db in
            let project = try db.value(
                String.self,
                "DELETE FROM signInLink WHERE codeHash = :codeHash AND expiry > :now RETURNING project",
                ["codeHash": Data(codeHash), "now": time.milliseconds]
            )
            return try project.flatMap { try Self.project($0, db) }
        }
    }

    private static func text(of notice: ConsoleSession.Notice?) throws -> String? {
        try notice.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    }
}

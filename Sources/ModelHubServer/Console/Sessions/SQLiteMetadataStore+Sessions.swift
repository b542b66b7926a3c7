import Foundation
import GRDB

extension SQLiteMetadataStore {
    func insert(_ session: ConsoleSession, audit: AuditEntry) async throws {
        let notice = try Self.text(of: session.notice)
        try await pool.write { db in
            let oldest = session.createTime.advanced(by: .zero - ConsoleSession.lifetime)
            let leastUsed = session.createTime.advanced(by: .zero - ConsoleSession.idleLifetime)
            try db.execute(
                sql: "DELETE FROM consoleSession WHERE createTime <= ? OR useTime <= ?",
                arguments: [oldest.milliseconds, leastUsed.milliseconds]
            )
            try db.execute(
                sql: """
                    INSERT INTO consoleSession (idHash, project, credential, role, actor, createTime, useTime, notice)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    Data(session.idHash), session.project.id, session.credential, session.role.rawValue, session.actor,
                    session.createTime.milliseconds, session.useTime.milliseconds, notice,
                ]
            )
            try db.execute(
                sql: """
                    DELETE FROM consoleSession WHERE idHash IN (
                        SELECT idHash FROM consoleSession WHERE project = ? AND credential IS ?
                        ORDER BY createTime DESC, idHash = ? DESC LIMIT -1 OFFSET ?)
                    """,
                arguments: [
                    session.project.id, session.credential, Data(session.idHash), ConsoleSession.maximumCount,
                ]
            )
            try Self.log(audit, db)
        }
    }

    func consoleSession(idHash: [UInt8]) async throws -> ConsoleSession? {
        try await pool.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT consoleSession.* FROM consoleSession
                    LEFT JOIN credential ON credential.id = consoleSession.credential
                    WHERE consoleSession.idHash = ? AND credential.revokeTime IS NULL
                    """
            )
            guard let row = try Row.fetchOne(statement, arguments: [Data(idHash)]) else { return nil }
            return try Self.session(row, db)
        }
    }

    func consoleSessions(of project: String) async throws -> [ConsoleSession] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT consoleSession.* FROM consoleSession
                    LEFT JOIN credential ON credential.id = consoleSession.credential
                    WHERE consoleSession.project = ? AND credential.revokeTime IS NULL
                    ORDER BY consoleSession.createTime DESC
                    """,
                arguments: [project]
            ).compactMap { try Self.session($0, db) }
        }
    }

    private static func session(_ row: Row, _ db: Database) throws -> ConsoleSession? {
        guard let role = Role(rawValue: row["role"]), let project = try project(row["project"], db) else { return nil }
        return ConsoleSession(
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
        let notice = try Self.text(of: session.notice)
        try await pool.write { db in
            try db.execute(
                sql: "UPDATE consoleSession SET useTime = ?, notice = ? WHERE idHash = ?",
                arguments: [session.useTime.milliseconds, notice, Data(session.idHash)]
            )
        }
    }

    func deleteConsoleSession(idHash: [UInt8], audit: AuditEntry) async throws {
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM consoleSession WHERE idHash = ?", arguments: [Data(idHash)])
            try Self.log(audit, db)
        }
    }

    func insertSignInLink(codeHash: [UInt8], project: String, expiry: Timestamp, audit: AuditEntry) async throws {
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM signInLink WHERE expiry <= ?", arguments: [audit.time.milliseconds])
            try db.execute(
                sql: "INSERT INTO signInLink (codeHash, project, expiry) VALUES (?, ?, ?)",
                arguments: [Data(codeHash), project, expiry.milliseconds]
            )
            try Self.log(audit, db)
        }
    }

    func takeSignInLink(codeHash: [UInt8], at time: Timestamp) async throws -> Project? {
        try await pool.write { db in
            let project = try String.fetchOne(
                db,
                sql: "DELETE FROM signInLink WHERE codeHash = ? AND expiry > ? RETURNING project",
                arguments: [Data(codeHash), time.milliseconds]
            )
            return try project.flatMap { try Self.project($0, db) }
        }
    }

    private static func text(of notice: ConsoleSession.Notice?) throws -> String? {
        try notice.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    }
}

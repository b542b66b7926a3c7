import Foundation

extension HubRecords {
    /// Adds a session, and removes ended sessions and the oldest beyond ``ConsoleSession/maximumCount`` of the same user.
    func insert(_ session: ConsoleSession, audit: AuditEntry) async throws {
        try await database.write { db in
            let oldest = session.createTime.advanced(by: .zero - ConsoleSession.lifetime)
            let leastUsed = session.createTime.advanced(by: .zero - ConsoleSession.idleLifetime)
            let latest = session.createTime.advanced(by: ConsoleSession.lifetime)
            try db.change(
                "DELETE FROM consoleSession WHERE createTime <= :oldest OR createTime >= :latest OR useTime <= :leastUsed",
                ["oldest": oldest.milliseconds, "latest": latest.milliseconds, "leastUsed": leastUsed.milliseconds]
            )
            let row: Columns = [
                "idHash": Data(session.idHash),
                "project": session.project.id,
                "person": session.person,
                "credential": session.credential,
                "role": session.role.rawValue,
                "enclosure": session.enclosure,
                "actor": session.actor,
                "createTime": session.createTime.milliseconds,
                "useTime": session.useTime.milliseconds,
                "expiry": session.expiry?.milliseconds,
                "notice": try Self.text(of: session.notice),
            ]
            try db.insert(row.merging(try Self.columns(of: session.claims)), into: "consoleSession")
            // A sign-in by a provider pushes out only the person's own sessions.
            let isOfSameUser =
                session.claims == nil ? "providerGroups IS NULL" : "providerGroups IS NOT NULL AND actor = :actor"
            try db.change(
                """
                DELETE FROM consoleSession WHERE idHash IN (
                    SELECT idHash FROM (
                        SELECT idHash, row_number() OVER (ORDER BY createTime DESC, idHash = :idHash DESC) AS position
                        FROM consoleSession
                        WHERE person IS NOT DISTINCT FROM :person
                            AND (person IS NOT NULL OR credential IS NOT DISTINCT FROM :credential)
                            AND \(isOfSameUser)
                    ) AS ranked WHERE position > :maximum)
                """,
                row.merging(["maximum": ConsoleSession.maximumCount])
            )
            try Self.log(audit, db)
        }
    }

    /// The session with a hash, unless its credential was revoked. Does not check the session's time.
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

    /// The sessions of a project, newest first. Does not check the sessions' times.
    func consoleSessions(of project: String) async throws -> [ConsoleSession] {
        try await consoleSessions("consoleSession.project = :project", ["project": project])
    }

    /// The sessions of a person, newest first. Does not check the sessions' times.
    func consoleSessions(ofPerson address: String) async throws -> [ConsoleSession] {
        try await consoleSessions("consoleSession.person = :person", ["person": address])
    }

    private func consoleSessions(_ condition: String, _ key: Columns) async throws -> [ConsoleSession] {
        try await database.read { db in
            try db.rows(
                """
                SELECT consoleSession.* FROM consoleSession
                LEFT JOIN credential ON credential.id = consoleSession.credential
                WHERE \(condition) AND credential.revokeTime IS NULL
                ORDER BY consoleSession.createTime DESC
                """,
                key
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
            person: row["person"],
            credential: row["credential"],
            role: role,
            enclosure: row["enclosure"],
            claims: try claims(row),
            actor: row["actor"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            useTime: Timestamp(milliseconds: row["useTime"]),
            expiry: (row["expiry"] as Int64?).map { Timestamp(milliseconds: $0) },
            notice: (row["notice"] as String?).flatMap {
                try? JSONDecoder().decode(ConsoleSession.Notice.self, from: Data($0.utf8))
            }
        )
    }

    private static func claims(_ row: SQLRow) throws -> ProviderClaims? {
        guard let groups = try row["providerGroups"] as String? else { return nil }
        return ProviderClaims(
            // Groups that cannot be read are none: nil would stand for another kind of sign-in.
            groups: (try? JSONDecoder().decode(Set<String>.self, from: Data(groups.utf8))) ?? [],
            subject: try row["providerSubject"] ?? "",
            session: try row["providerSession"],
            refreshToken: try row["refreshToken"]
        )
    }

    private static func columns(of claims: ProviderClaims?) throws -> Columns {
        [
            "providerGroups": try claims.map {
                String(decoding: try JSONEncoder().encode($0.groups.sorted()), as: UTF8.self)
            },
            "providerSubject": claims?.subject,
            "providerSession": claims?.session,
            "refreshToken": claims?.refreshToken,
        ]
    }

    /// Claims the renewal of a session; false if another request or hub has it, or has done it.
    func beginRenewal(of session: ConsoleSession, at time: Timestamp) async throws -> Bool {
        try await database.write { db in
            try db.update(
                "consoleSession",
                set: ["renewTime": time.milliseconds],
                // A renewal that seems to begin later began before the clock was set back.
                where: """
                    idHash = :idHash AND expiry = :expiry
                        AND (renewTime IS NULL OR renewTime <= :late OR renewTime > :ahead)
                    """,
                [
                    "idHash": Data(session.idHash), "expiry": session.expiry?.milliseconds,
                    "late": time.advanced(by: .zero - Hub.renewalTime).milliseconds,
                    "ahead": time.advanced(by: Hub.renewalTime).milliseconds,
                ]
            ) > 0
        }
    }

    /// Gives a claimed renewal up.
    func endRenewal(of session: ConsoleSession) async throws {
        try await database.write { db in
            _ = try db.update(
                "consoleSession",
                set: ["renewTime": Int64?.none],
                where: "idHash = :idHash",
                ["idHash": Data(session.idHash)]
            )
        }
    }

    /// Stores the provider's claims about a session's user, before its renewal ends.
    func keep(_ claims: ProviderClaims, of session: ConsoleSession) async throws {
        try await database.write { db in
            _ = try db.update(
                "consoleSession",
                set: try Self.columns(of: claims),
                where: "idHash = :idHash",
                ["idHash": Data(session.idHash)]
            )
        }
    }

    /// Stores the provider's current claims about a session's user, and the session's new end.
    func renew(_ session: ConsoleSession) async throws {
        try await database.write { db in
            let end: Columns = ["expiry": session.expiry?.milliseconds, "renewTime": Int64?.none]
            _ = try db.update(
                "consoleSession",
                set: end.merging(try Self.columns(of: session.claims)),
                where: "idHash = :idHash",
                ["idHash": Data(session.idHash)]
            )
        }
    }

    /// The sessions that began with a provider's session, or all of a person that the provider names. Does not check the sessions' times.
    func consoleSessions(ofProviderSession id: String?, subject: String?) async throws -> [ConsoleSession] {
        if let id { return try await consoleSessions("consoleSession.providerSession = :session", ["session": id]) }
        return try await consoleSessions("consoleSession.providerSubject = :subject", ["subject": subject])
    }

    /// Updates a session's shown project, its last use and its message for the next page.
    func update(_ session: ConsoleSession) async throws {
        try await database.write { db in
            _ = try db.update(
                "consoleSession",
                set: [
                    "project": session.project.id,
                    "useTime": session.useTime.milliseconds,
                    "notice": try Self.text(of: session.notice),
                ],
                where: "idHash = :idHash",
                ["idHash": Data(session.idHash)]
            )
        }
    }

    /// Ends a session.
    func deleteConsoleSession(idHash: [UInt8], audit: AuditEntry) async throws {
        try await database.write { db in
            try db.change("DELETE FROM consoleSession WHERE idHash = :idHash", ["idHash": Data(idHash)])
            try Self.log(audit, db)
        }
    }

    /// Adds a sign-in link, and removes ended links and the oldest beyond ``SignInLink/maximumCount`` for the same person.
    func insert(_ link: SignInLink, audit: AuditEntry) async throws {
        try await database.write { db in
            try db.change("DELETE FROM signInLink WHERE expiry <= :now", ["now": audit.time.milliseconds])
            let row: Columns = [
                "codeHash": Data(link.codeHash),
                "person": link.person,
                "project": link.project,
                "enclosure": link.enclosure,
                "role": link.role.rawValue,
                "credential": link.credential,
                "sessionExpiry": link.sessionExpiry?.milliseconds,
                "expiry": link.expiry.milliseconds,
            ]
            try db.insert(row, into: "signInLink")
            try db.change(
                """
                DELETE FROM signInLink WHERE codeHash IN (
                    SELECT codeHash FROM (
                        SELECT codeHash, row_number() OVER (ORDER BY expiry DESC, codeHash = :codeHash DESC) AS position
                        FROM signInLink WHERE person IS NOT DISTINCT FROM :person
                    ) AS ranked WHERE position > :maximum)
                """,
                row.merging(["maximum": SignInLink.maximumCount])
            )
            try Self.log(audit, db)
        }
    }

    /// Whether a sign-in link exists and has not expired.
    func hasSignInLink(codeHash: [UInt8], at time: Timestamp) async throws -> Bool {
        try await database.read { db in
            try db.row(
                "SELECT 1 FROM signInLink WHERE codeHash = :codeHash AND expiry > :now",
                ["codeHash": Data(codeHash), "now": time.milliseconds]
            ) != nil
        }
    }

    /// Uses up a sign-in link; nil if it does not exist, has expired, or its credential was revoked.
    func takeSignInLink(codeHash: [UInt8], at time: Timestamp) async throws -> SignInLink? {
        try await database.write { db in
            let row = try db.row(
                "DELETE FROM signInLink WHERE codeHash = :codeHash AND expiry > :now RETURNING *",
                ["codeHash": Data(codeHash), "now": time.milliseconds]
            )
            guard let row, let role = try Role(rawValue: row["role"]) else { return nil }
            var link = try SignInLink(
                person: row["person"],
                project: row["project"],
                enclosure: row["enclosure"],
                role: role,
                credential: row["credential"],
                sessionExpiry: (row["sessionExpiry"] as Int64?).map { Timestamp(milliseconds: $0) }
            )
            link.codeHash = codeHash
            link.expiry = try Timestamp(milliseconds: row["expiry"])
            if let credential = link.credential {
                let known = try db.row("SELECT * FROM credential WHERE id = :id", ["id": credential])
                guard try known.flatMap(Self.credential)?.isValid(at: time) == true else { return nil }
            }
            return link
        }
    }

    private static func text(of notice: ConsoleSession.Notice?) throws -> String? {
        try notice.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    }
}

import Foundation

extension HubRecords {
    /// The key with which this hub signs tokens and addresses; created once.
    func signingKey() async throws -> [UInt8] {
        let made = Data(RandomBytes.make(32))
        return try await database.write { db in
            try db.insert(["key": "signing-key", "value": made], into: "setting", "ON CONFLICT (key) DO NOTHING")
            return Array(try db.value(Data.self, "SELECT value FROM setting WHERE key = 'signing-key'") ?? made)
        }
    }

    /// Replaces the key with which the hub signs tokens and addresses. Hubs that run keep the earlier one until they start again.
    func replaceSigningKey(audit: AuditEntry) async throws {
        let made = Data(RandomBytes.make(32))
        try await database.write { db in
            _ = try db.insert(
                ["key": "signing-key", "value": made],
                into: "setting",
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            )
            try Self.log(audit, db)
        }
    }

    /// Adds a sign-in link, and removes ended links and the oldest beyond ``SignInLink/maximumCount`` for the same person.
    func insert(_ credential: Credential, audit: AuditEntry) async throws {
        try await database.write { db in
            if let hash = credential.secretHash, let other = try Self.credential(secretHash: hash, db) {
                throw Self.collision(credential, with: other)
            }
            if let parent = credential.parent {
                let known = try db.row("SELECT * FROM credential WHERE id = :id", ["id": parent]).flatMap(
                    Self.credential
                )
                guard known?.isValid(at: credential.createTime) == true else { throw HubError.bearerToken }
            }
            let (condition, key) = Self.condition(for: credential.owner)
            let count = try db.value(Int.self, "SELECT count(*) FROM credential WHERE \(condition)", key) ?? 0
            let limit = credential.owner.maximumCount
            guard count < limit else {
                throw HubError(
                    .resourceExhausted,
                    "There are already \(count) keys and tokens, the limit; tokens and key files disappear 90 days after they expired or were "
                        + "revoked."
                )
            }
            try db.insert(
                [
                    "id": credential.id,
                    "project": credential.project,
                    "person": credential.person,
                    "kind": credential.kind.rawValue,
                    "role": credential.role.rawValue,
                    "name": credential.name,
                    "secretHash": credential.secretHash.map { Data($0) },
                    "publicKey": credential.publicKey,
                    "parent": credential.parent,
                    "createTime": credential.createTime.milliseconds,
                    "expiry": credential.expiry?.milliseconds,
                    "useTime": credential.useTime?.milliseconds,
                    "revokeTime": credential.revokeTime?.milliseconds,
                ],
                into: "credential"
            )
            try Self.log(audit, db)
        }
    }

    /// The error for a secret that the hub already has. It describes a key of the same project only.
    private static func collision(_ credential: Credential, with other: Credential) -> HubError {
        guard let project = other.project, project == credential.project else {
            return HubError(
                .alreadyExists,
                "Another project of this hub already has this key; a key can belong to only one project."
            )
        }
        let key = "The project \"\(project)\" already has this key, as \"\(other.name)\" (id \(other.id.prefix(12)))"
        return HubError(
            .alreadyExists,
            other.revokeTime == nil
                ? "\(key); a key can belong to only one project."
                : "\(key), and it was revoked; a revocation is permanent, so the app needs a new key."
        )
    }

    /// The credential with the given id, revoked or not.
    func credential(id: String) async throws -> Credential? {
        try await database.read { db in
            try db.row("SELECT * FROM credential WHERE id = :id", ["id": id]).flatMap(Self.credential)
        }
    }

    /// The credential whose secret has the given SHA-256, revoked or not.
    func credential(secretHash: [UInt8]) async throws -> Credential? {
        try await database.read { db in try Self.credential(secretHash: secretHash, db) }
    }

    private static func credential(secretHash: [UInt8], _ db: any SQLTransaction) throws -> Credential? {
        try db.row("SELECT * FROM credential WHERE secretHash = :hash", ["hash": Data(secretHash)])
            .flatMap(Self.credential)
    }

    /// The credentials of an owner, oldest first.
    func credentials(of owner: Credential.Owner) async throws -> [Credential] {
        let (condition, key) = Self.condition(for: owner)
        return try await database.read { db in
            try db.rows("SELECT * FROM credential WHERE \(condition) ORDER BY createTime, id", key)
                .compactMap(Self.credential)
        }
    }

    /// The condition for the credentials of an owner, and its parameters.
    private static func condition(for owner: Credential.Owner) -> (String, Columns) {
        switch owner {
        case .project(let project): ("project = :project AND person IS NULL", ["project": project])
        case .person(let person): ("person = :person", ["person": person])
        case .hub: ("project IS NULL AND person IS NULL", [:])
        }
    }

    /// Revokes a credential and all that it created, directly or not; false if the owner has no credential with this
    /// id.
    func revoke(
        credential id: String,
        of owner: Credential.Owner,
        at time: Timestamp,
        audit: AuditEntry
    ) async throws -> Bool {
        let (condition, key) = Self.condition(for: owner)
        return try await database.write { db in
            let isKnown = try db.row(
                "SELECT id FROM credential WHERE id = :id AND \(condition)",
                key.merging(["id": id])
            )
            guard isKnown != nil else { return false }
            try Self.revoke("id = :id", ["id": id], at: time, db)
            try Self.log(audit, db)
            return true
        }
    }

    /// Revokes the credentials that match a condition, and all that they created.
    static func revoke(_ condition: String, _ key: Columns, at time: Timestamp, _ db: any SQLTransaction) throws {
        try db.change(
            """
            WITH RECURSIVE revoked (id) AS (
                SELECT id FROM credential WHERE \(condition)
                UNION SELECT credential.id FROM credential JOIN revoked ON credential.parent = revoked.id)
            UPDATE credential SET revokeTime = :time
            WHERE revokeTime IS NULL AND id IN (SELECT id FROM revoked)
            """,
            key.merging(["time": time.milliseconds])
        )
    }

    /// Records uses of credentials, by their ids. A recorded use that is less than an hour older stays; one that is later was noted before the clock
    /// was set back.
    func noteUses(of credentials: [String: Timestamp]) async throws {
        try await database.write { db in
            for (id, time) in credentials {
                let earlier = time.advanced(by: .zero - CredentialUses.granularity)
                let later = time.advanced(by: CredentialUses.granularity)
                try db.change(
                    """
                    UPDATE credential SET useTime = :time
                    WHERE id = :id AND (useTime IS NULL OR useTime <= :earlier OR useTime > :later)
                    """,
                    [
                        "id": id, "time": time.milliseconds, "earlier": earlier.milliseconds,
                        "later": later.milliseconds,
                    ]
                )
            }
        }
    }

    /// Removes tokens and key files that ended before a time.
    func forgetCredentials(endedBefore time: Timestamp) async throws {
        try await database.write { db in
            // The hash of a revoked API key stays, so that the key is never adopted again; and so do signing keys.
            _ = try db.change(
                "DELETE FROM credential WHERE kind NOT IN ('api-key', 'signing') AND (revokeTime < :time OR expiry < :time)",
                ["time": time.milliseconds]
            )
        }
    }

    /// The state of a key in a row of a look-up by its secret.
    static func credentialState(_ row: SQLRow) throws -> CredentialState {
        try CredentialState(
            id: row["keyID"],
            expiry: (row["keyExpiry"] as Int64?).map { Timestamp(milliseconds: $0) },
            useTime: (row["keyUseTime"] as Int64?).map { Timestamp(milliseconds: $0) }
        )
    }

    static func credential(_ row: SQLRow) throws -> Credential? {
        guard let kind = try Credential.Kind(rawValue: row["kind"]), let role = try Role(rawValue: row["role"]) else {
            return nil
        }
        return try Credential(
            id: row["id"],
            project: row["project"],
            person: row["person"],
            kind: kind,
            role: role,
            name: row["name"],
            secretHash: (row["secretHash"] as Data?).map { Array($0) },
            publicKey: row["publicKey"],
            parent: row["parent"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            expiry: (row["expiry"] as Int64?).map { Timestamp(milliseconds: $0) },
            useTime: (row["useTime"] as Int64?).map { Timestamp(milliseconds: $0) },
            revokeTime: (row["revokeTime"] as Int64?).map { Timestamp(milliseconds: $0) }
        )
    }
}

extension Credential.Owner {
    /// The maximum number of credentials, revoked ones included.
    fileprivate var maximumCount: Int {
        switch self {
        case .project: Credential.maximumCountOfProject
        case .person, .hub: Credential.maximumCountOfPerson
        }
    }
}

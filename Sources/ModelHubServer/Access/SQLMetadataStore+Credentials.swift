import Foundation

extension SQLMetadataStore {
    func signingKey() async throws -> [UInt8] {
        let made = Data(RandomBytes.make(32))
        return try await database.write { db in
            try db.insert(["key": "signing-key", "value": made], into: "setting", "ON CONFLICT (key) DO NOTHING")
            return Array(try db.value(Data.self, "SELECT value FROM setting WHERE key = 'signing-key'") ?? made)
        }
    }

    func insert(_ credential: Credential, audit: AuditEntry) async throws {
        try await database.write { db in
            if let hash = credential.secretHash, let other = try Self.credential(secretHash: hash, db) {
                let key =
                    "The project \"\(other.project)\" already has this key, as \"\(other.name)\" (id \(other.id.prefix(12)))"
                throw HubError(
                    .alreadyExists,
                    other.revokeTime == nil
                        ? "\(key); a key can belong to only one project."
                        : "\(key), and it was revoked; a revocation is permanent, so the app needs a new key."
                )
            }
            try db.insert(
                [
                    "id": credential.id,
                    "project": credential.project,
                    "kind": credential.kind.rawValue,
                    "role": credential.role.rawValue,
                    "name": credential.name,
                    "secretHash": credential.secretHash.map { Data($0) },
                    "publicKey": credential.publicKey,
                    "createTime": credential.createTime.milliseconds,
                    "revokeTime": credential.revokeTime?.milliseconds,
                ],
                into: "credential"
            )
            try Self.log(audit, db)
        }
    }

    func credential(id: String) async throws -> Credential? {
        try await database.read { db in
            try db.row("SELECT * FROM credential WHERE id = :id", ["id": id]).flatMap(Self.credential)
        }
    }

    func credential(secretHash: [UInt8]) async throws -> Credential? {
        try await database.read { db in try Self.credential(secretHash: secretHash, db) }
    }

    private static func credential(secretHash: [UInt8], _ db: any SQLTransaction) throws -> Credential? {
        try db.row("SELECT * FROM credential WHERE secretHash = :hash", ["hash": Data(secretHash)])
            .flatMap(Self.credential)
    }

    func credentials(of project: String) async throws -> [Credential] {
        try await database.read { db in
            try db.rows(
                "SELECT * FROM credential WHERE project = :project ORDER BY createTime, id",
                ["project": project]
            ).compactMap(Self.credential)
        }
    }

    func revoke(
        credential id: String,
        of project: String,
        at time: Timestamp,
        audit: AuditEntry
    ) async throws -> Bool {
        try await database.write { db in
            let count = try db.change(
                "UPDATE credential SET revokeTime = coalesce(revokeTime, :time) WHERE id = :id AND project = :project",
                ["time": time.milliseconds, "id": id, "project": project]
            )
            guard count == 1 else { return false }
            try Self.log(audit, db)
            return true
        }
    }

    private static func credential(_ row: SQLRow) throws -> Credential? {
        guard let kind = try Credential.Kind(rawValue: row["kind"]), let role = try Role(rawValue: row["role"]) else {
            return nil
        }
        return try Credential(
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

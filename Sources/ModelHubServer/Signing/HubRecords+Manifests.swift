import Foundation
import ModelHubProtocol

/// The signed manifests of models, by alias and file.
extension HubRecords {
    /// The number of manifests that are kept of an alias of a model.
    private static let keptManifests = 20

    /// The signed manifest of a model's file for an alias; nil if there is none, or if its key was revoked. It must be fast: the
    /// calling thread also serves other clients.
    func manifest(of model: Int64, _ alias: ModelAlias, _ hash: BlobHash) async throws -> Data? {
        try await database.lookUp { db in
            try db.value(
                Data.self,
                """
                SELECT manifest.content FROM manifest JOIN credential ON credential.id = manifest.credential
                WHERE model = :model AND alias = :alias AND hash = :hash AND revokeTime IS NULL
                """,
                ["model": model, "alias": alias.rawValue, "hash": hash.text]
            )
        }
    }

    /// A stored manifest with the name of its key.
    struct StoredManifest: Sendable {
        var manifest: ModelManifest
        var keyName: String
    }

    /// The manifests of a model whose keys are valid.
    func manifests(of model: Int64) async throws -> [StoredManifest] {
        try await database.read { db in
            try db.rows(
                """
                SELECT manifest.content, credential.name AS keyName
                FROM manifest JOIN credential ON credential.id = manifest.credential
                WHERE model = :model AND revokeTime IS NULL ORDER BY serial DESC
                """,
                ["model": model]
            ).compactMap { row in
                let content: Data = try row["content"]
                guard let manifest = try? SignedManifest(content).manifest() else { return nil }
                return StoredManifest(manifest: manifest, keyName: try row["keyName"])
            }
        }
    }

    /// The highest number of the manifests of an alias, those of revoked keys included; nil if there is none.
    func lastSerial(of model: Int64, _ alias: ModelAlias) async throws -> Int64? {
        try await database.read { db in try Self.lastSerial(of: model, alias, db) }
    }

    private static func lastSerial(of model: Int64, _ alias: ModelAlias, _ db: any SQLTransaction) throws -> Int64? {
        try db.value(
            Int64.self,
            "SELECT max(serial) FROM manifest WHERE model = :model AND alias = :alias",
            ["model": model, "alias": alias.rawValue]
        )
    }

    /// Adds a manifest, in the place of an older one of the same alias and file; false if its number is not higher than that of all
    /// manifests of the alias.
    func add(
        _ manifest: ModelManifest,
        signed content: Data,
        of model: Int64,
        audit: AuditEntry
    ) async throws -> Bool {
        try await database.write { db in
            if let last = try Self.lastSerial(of: model, manifest.alias, db), manifest.serial <= last { return false }
            try db.insert(
                [
                    "model": model, "alias": manifest.alias.rawValue, "hash": manifest.hash, "serial": manifest.serial,
                    "credential": manifest.key, "expiry": manifest.expires * 1000, "content": content,
                ],
                into: "manifest",
                """
                ON CONFLICT (model, alias, hash) DO UPDATE SET
                    serial = excluded.serial, credential = excluded.credential, expiry = excluded.expiry, content = excluded.content
                """
            )
            try db.change(
                """
                DELETE FROM manifest WHERE model = :model AND alias = :alias AND serial <= (
                    SELECT serial FROM manifest WHERE model = :model AND alias = :alias
                    ORDER BY serial DESC LIMIT 1 OFFSET :kept)
                """,
                ["model": model, "alias": manifest.alias.rawValue, "kept": Self.keptManifests]
            )
            try Self.log(audit, db)
            return true
        }
    }

    /// Removes all manifests of a model, whose name changed.
    func removeManifests(of model: Int64) async throws {
        try await database.write { db in
            _ = try db.change("DELETE FROM manifest WHERE model = :model", ["model": model])
        }
    }

    /// Removes the manifest of a file to which an alias moved if it is older than that of the file before. Clients would refuse it.
    func removeOlderManifest(of model: Int64, _ alias: ModelAlias, from old: BlobHash, to new: BlobHash) async throws {
        try await database.write { db in
            try Self.removeOlderManifest(of: model, alias, from: old.text, to: new.text, db)
        }
    }

    static func removeOlderManifest(
        of model: Int64,
        _ alias: ModelAlias,
        from old: String,
        to new: String,
        _ db: any SQLTransaction
    ) throws {
        _ = try db.change(
            """
            DELETE FROM manifest WHERE model = :model AND alias = :alias AND hash = :new AND serial < (
                SELECT serial FROM manifest WHERE model = :model AND alias = :alias AND hash = :old)
            """,
            ["model": model, "alias": alias.rawValue, "old": old, "new": new]
        )
    }

    /// Removes manifests that ended before a time.
    func forgetManifests(endedBefore time: Timestamp) async throws {
        try await database.write { db in
            _ = try db.change("DELETE FROM manifest WHERE expiry < :time", ["time": time.milliseconds])
        }
    }
}

import Foundation
import ModelHubProtocol

extension HubRecords {
    /// The project of an API key, and the version with an alias of the published model with a display name. For the
    /// alias `production`, the most frequent request, it is a single look-up. Nil if the secret is not a valid API key.
    /// It must be fast: the calling thread also serves other clients.
    func download(
        apiKeyHash: [UInt8],
        modelNamed name: String,
        alias: ModelAlias
    ) async throws -> DownloadLookup? {
        let key = LookUps.Download(apiKeyHash: apiKeyHash, name: name, alias: alias)
        return try await lookUps.downloads.value(for: key, of: { $0.project }) {
            try await lookUp(apiKeyHash, name, alias)
        }
    }

    private func lookUp(_ apiKeyHash: [UInt8], _ name: String, _ alias: ModelAlias) async throws -> DownloadLookup? {
        let key: Columns = ["keyHash": Data(apiKeyHash), "name": name]
        guard let row = try await database.lookUp({ db in try db.row(Self.lookUp, key) }) else { return nil }
        return try DownloadLookup(
            project: row["project"],
            projectNumber: row["projectNumber"],
            requiresInstallation: row["requiresInstallation"],
            model: try await file(alias, row).flatMap { try Self.served($0, of: row) },
            rollout: alias == .production ? try await rollout(row) : nil,
            key: try Self.credentialState(row)
        )
    }

    /// The row with the file of the version that an alias names; nil if there is none.
    ///
    /// - Parameter row: The row of the model, which contains the file of the served version.
    private func file(_ alias: ModelAlias, _ row: SQLRow) async throws -> SQLRow? {
        if alias == .production { return row }
        let aliases = try (row["aliases"] as String?).map { Self.aliases($0) } ?? [:]
        guard let model: Int64 = try row["id"],
            let number = try ModelRecord.version(named: alias, aliases, served: row["version"])
        else { return nil }
        // Versions are not removed while their model exists.
        return try await database.lookUp { db in
            try db.row(Self.fileOfVersion, ["model": model, "number": number])
        }
    }

    /// The active rollout of a model, with its new version; nil if there is none.
    private func rollout(_ row: SQLRow) async throws -> ServedRollout? {
        guard let id: String = try row["rolloutID"], let model: Int64 = try row["id"],
            let number: Int = try row["newVersion"]
        else { return nil }
        let file = try await database.lookUp { db in
            try db.row(Self.fileOfVersion, ["model": model, "number": number])
        }
        guard let new = try file.flatMap({ try Self.served($0, of: row) }) else { return nil }
        return ServedRollout(id: id, share: try row["share"], new: new)
    }

    private static func served(_ file: SQLRow, of model: SQLRow) throws -> ServedModel? {
        guard let hash = try (file["hash"] as String?).flatMap({ BlobHash($0) }) else { return nil }
        return try ServedModel(
            id: model["id"],
            displayName: model["displayName"],
            hash: hash,
            byteCount: file["size"],
            confidenceThreshold: file["confidenceThreshold"]
        )
    }

    /// A single statement that uses four indexes.
    private static let lookUp = """
        SELECT project.id AS project, project.number AS projectNumber, project.requiresInstallation,
            model.id, model.displayName, model.version, model.hash, model.size, model.confidenceThreshold, model.aliases,
            credential.id AS keyID, credential.expiry AS keyExpiry, credential.useTime AS keyUseTime,
            rollout.id AS rolloutID, rollout.share, rollout.newVersion
        FROM credential JOIN project ON project.id = credential.project
            LEFT JOIN model ON model.project = project.id AND model.displayName = :name AND model.isPublished
            LEFT JOIN rollout ON rollout.model = model.id AND rollout.isActive
        WHERE credential.secretHash = :keyHash AND credential.kind = 'api-key' AND credential.revokeTime IS NULL
        """

    private static let fileOfVersion =
        "SELECT hash, size, confidenceThreshold FROM version WHERE model = :model AND number = :number"

    /// Adds downloads of each file of models, by the numbers of the models; deleted models are ignored. If several
    /// versions of a model have a file, its downloads count for the newest of them.
    func addDownloads(_ counts: [Int64: [BlobHash: Int]], at time: Timestamp) async throws {
        try await database.write { db in
            for (model, files) in counts {
                let all = files.values.reduce(0, +)
                try Self.addDownloads(all, of: model, on: time.day, db)
                try db.change(
                    """
                    INSERT INTO modelDownload (model, count) SELECT id, :count FROM model WHERE id = :model
                    ON CONFLICT (model) DO UPDATE SET count = modelDownload.count + excluded.count
                    """,
                    ["model": model, "count": all]
                )
                for (hash, count) in files {
                    try db.change(
                        """
                        INSERT INTO versionDownload (model, number, count)
                            SELECT model, number, :count FROM version
                            WHERE model = :model AND number = (
                                SELECT max(number) FROM version WHERE model = :model AND hash = :hash)
                        ON CONFLICT (model, number) DO UPDATE SET count = versionDownload.count + excluded.count
                        """,
                        ["model": model, "hash": hash.text, "count": count]
                    )
                }
            }
        }
    }

    /// The number of downloads of a model.
    func downloads(of model: Int64) async throws -> Int {
        try await database.read { db in
            try db.value(Int.self, "SELECT count FROM modelDownload WHERE model = :model", ["model": model]) ?? 0
        }
    }

    /// The number of downloads of each version of a model, by the numbers of the versions. Versions without downloads
    /// are absent, and so are downloads that an earlier hub counted.
    func versionDownloads(of model: Int64) async throws -> [Int: Int] {
        try await database.read { db in
            try Dictionary(
                db.rows("SELECT number, count FROM versionDownload WHERE model = :model", ["model": model])
                    .map { try ($0["number"], $0["count"]) },
                uniquingKeysWith: { $1 }
            )
        }
    }
}

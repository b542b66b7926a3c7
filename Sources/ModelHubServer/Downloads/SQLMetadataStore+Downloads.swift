import Foundation

extension SQLMetadataStore {
    func download(apiKeyHash: [UInt8], modelNamed name: String) async throws -> DownloadLookup? {
        try await database.lookUp { db in
            try db.row(Self.lookUp, ["keyHash": Data(apiKeyHash), "name": name]).map { row in
                let hash = try (row["hash"] as String?).flatMap { BlobHash($0) }
                return try DownloadLookup(
                    project: row["project"],
                    projectNumber: row["projectNumber"],
                    requiresInstallation: row["requiresInstallation"],
                    model: try hash.map { hash in
                        try ServedModel(
                            id: row["id"],
                            displayName: row["displayName"],
                            hash: hash,
                            byteCount: row["size"],
                            confidenceThreshold: row["confidenceThreshold"]
                        )
                    },
                    key: Self.credentialState(row)
                )
            }
        }
    }

    /// A single statement that uses three indexes.
    private static let lookUp = """
        SELECT project.id AS project, project.number AS projectNumber, project.requiresInstallation,
            model.id, model.displayName, model.hash, model.size, model.confidenceThreshold,
            credential.id AS keyID, credential.expiry AS keyExpiry, credential.useTime AS keyUseTime
        FROM credential JOIN project ON project.id = credential.project
            LEFT JOIN model ON model.project = project.id AND model.displayName = :name AND model.isPublished
        WHERE credential.secretHash = :keyHash AND credential.kind = 'api-key' AND credential.revokeTime IS NULL
        """

    func addDownloads(_ counts: [Int64: Int]) async throws {
        try await database.write { db in
            for (model, count) in counts {
                try db.change(
                    """
                    INSERT INTO modelDownload (model, count) SELECT id, :count FROM model WHERE id = :model
                    ON CONFLICT (model) DO UPDATE SET count = modelDownload.count + excluded.count
                    """,
                    ["model": model, "count": count]
                )
            }
        }
    }

    func downloads(of model: Int64) async throws -> Int {
        try await database.read { db in
            try db.value(Int.self, "SELECT count FROM modelDownload WHERE model = :model", ["model": model]) ?? 0
        }
    }
}

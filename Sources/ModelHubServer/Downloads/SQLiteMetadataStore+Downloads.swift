import Foundation
import GRDB
import ModelHubProtocol

extension SQLiteMetadataStore {
    func download(
        apiKeyHash: [UInt8],
        modelNamed name: String,
        alias: ModelAlias
    ) async throws -> DownloadLookup? {
        try lookUp(apiKeyHash, name, alias)
    }

    /// Runs on the caller's thread and without a transaction: it is a single statement that uses three indexes, and a
    /// change of threads takes several times as long. Only an alias needs a second statement; versions are never
    /// removed while their model exists.
    private func lookUp(_ apiKeyHash: [UInt8], _ name: String, _ alias: ModelAlias) throws -> DownloadLookup? {
        try lookups.unsafeRead { db in
            guard let row = try db.row(Self.lookUp, ["keyHash": Data(apiKeyHash), "name": name]) else { return nil }
            var file: Row? = row
            if alias != .production {
                let aliases = (row["aliases"] as String?).map { Self.aliases($0) } ?? [:]
                let number = ModelRecord.version(named: alias, aliases, served: row["version"])
                file = try number.flatMap { number in
                    try db.row(Self.fileOfVersion, ["model": row["id"] as Int64?, "number": number])
                }
            }
            return DownloadLookup(
                project: row["project"],
                projectNumber: row["projectNumber"],
                requiresInstallation: row["requiresInstallation"],
                model: try file.flatMap { file in
                    try (file["hash"] as String?).flatMap { BlobHash($0) }.map { hash in
                        ServedModel(
                            id: try row.decode(forColumn: "id"),
                            displayName: try row.decode(forColumn: "displayName"),
                            hash: hash,
                            byteCount: try file.decode(forColumn: "size"),
                            confidenceThreshold: file["confidenceThreshold"]
                        )
                    }
                }
            )
        }
    }

    private static let lookUp = """
        SELECT project.id AS project, project.number AS projectNumber, project.requiresInstallation,
            model.id, model.displayName, model.version, model.hash, model.size, model.confidenceThreshold, model.aliases
        FROM credential JOIN project ON project.id = credential.project
            LEFT JOIN model ON model.project = project.id AND model.displayName = :name AND model.isPublished
        WHERE credential.secretHash = :keyHash AND credential.kind = 'api-key' AND credential.revokeTime IS NULL
        """

    private static let fileOfVersion =
        "SELECT hash, size, confidenceThreshold FROM version WHERE model = :model AND number = :number"

    func addDownloads(_ counts: [Int64: [BlobHash: Int]]) async throws {
        try await pool.write { db in
            for (model, files) in counts {
                try db.change(
                    """
                    INSERT INTO modelDownload (model, count) SELECT id, :count FROM model WHERE id = :model
                    ON CONFLICT (model) DO UPDATE SET count = modelDownload.count + excluded.count
                    """,
                    ["model": model, "count": files.values.reduce(0, +)]
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

    func downloads(of model: Int64) async throws -> Int {
        try await pool.read { db in
            try db.value(Int.self, "SELECT count FROM modelDownload WHERE model = :model", ["model": model]) ?? 0
        }
    }

    func versionDownloads(of model: Int64) async throws -> [Int: Int] {
        try await pool.read { db in
            try Dictionary(
                db.rows("SELECT number, count FROM versionDownload WHERE model = :model", ["model": model])
                    .map { ($0["number"], $0["count"]) },
                uniquingKeysWith: { $1 }
            )
        }
    }
}

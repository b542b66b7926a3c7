import Foundation
import GRDB

extension SQLiteMetadataStore {
    func download(apiKeyHash: [UInt8], modelNamed name: String) async throws -> DownloadLookup? {
        try lookUp(apiKeyHash, name)
    }

    /// Runs on the caller's thread and without a transaction: it is a single statement that uses three indexes, and a
    /// change of threads takes several times as long.
    private func lookUp(_ apiKeyHash: [UInt8], _ name: String) throws -> DownloadLookup? {
        try lookups.unsafeRead { db in
            let statement = try db.cachedStatement(sql: Self.lookUp)
            let rows = try Row.fetchCursor(statement, arguments: [name, Data(apiKeyHash)])
            guard let row = try rows.next() else { return nil }
            let hash = (row[4] as String?).flatMap { BlobHash($0) }
            return DownloadLookup(
                project: row[0],
                projectNumber: row[1],
                requiresInstallation: row[2],
                model: try hash.map { hash in
                    ServedModel(
                        id: try row.decode(Int64.self, atIndex: 7),
                        displayName: try row.decode(String.self, atIndex: 3),
                        hash: hash,
                        byteCount: try row.decode(Int.self, atIndex: 5),
                        confidenceThreshold: try row.decode(Double?.self, atIndex: 6)
                    )
                }
            )
        }
    }

    private static let lookUp = """
        SELECT project.id, project.number, project.requiresInstallation,
            model.displayName, model.hash, model.size, model.confidenceThreshold, model.id
        FROM credential JOIN project ON project.id = credential.project
            LEFT JOIN model ON model.project = project.id AND model.displayName = ? AND model.isPublished
        WHERE credential.secretHash = ? AND credential.kind = 'api-key' AND credential.revokeTime IS NULL
        """
}

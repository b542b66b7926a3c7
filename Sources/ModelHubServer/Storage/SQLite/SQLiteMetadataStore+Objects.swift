import Foundation
import GRDB

extension SQLiteMetadataStore {
    func put(
        _ object: StorageObject,
        upload: String?,
        audit: AuditEntry,
        contains: @escaping @Sendable (BlobHash) -> Bool
    ) async throws {
        try await pool.write { db in
            guard contains(object.hash) else {
                throw HubError(.aborted, "The file was removed meanwhile; upload it again.")
            }
            let key: StatementArguments = [object.project, object.bucket, object.name]
            try Self.release(db, time: object.createTime, Self.servedFile, key)
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO object
                        (project, bucket, name, hash, size, crc32c, md5, contentType, createTime, upload)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: key + [
                    object.hash.text, object.byteCount, object.crc32c, object.md5, object.contentType,
                    object.createTime.milliseconds, upload,
                ]
            )
            try Self.checkQuota(of: object.project, db)
            try Self.log(audit, db)
        }
    }

    /// The file of an object if a version has or had it, so that addresses may lead to it.
    private static let servedFile = """
        SELECT hash FROM object WHERE project = ? AND bucket = ? AND name = ?
            AND (EXISTS (SELECT 1 FROM version WHERE version.hash = object.hash)
                OR EXISTS (SELECT 1 FROM released WHERE released.hash = object.hash))
        """

    func object(_ name: String, in bucket: String, of project: String) async throws -> StorageObject? {
        try await pool.read { db in
            try Row.fetchOne(
                db,
                sql: "SELECT * FROM object WHERE project = ? AND bucket = ? AND name = ?",
                arguments: [project, bucket, name]
            ).flatMap(Self.object)
        }
    }

    func hasObjects(in bucket: String, of project: String) async throws -> Bool {
        try await pool.read { db in
            let sql = "SELECT EXISTS (SELECT 1 FROM object WHERE project = ? AND bucket = ?)"
            return try Bool.fetchOne(db, sql: sql, arguments: [project, bucket]) == true
        }
    }

    func object(ofUpload id: String, of project: String) async throws -> StorageObject? {
        try await pool.read { db in
            try Row.fetchOne(
                db,
                sql: "SELECT * FROM object WHERE upload = ? AND project = ?",
                arguments: [id, project]
            ).flatMap(Self.object)
        }
    }

    private static func object(_ row: Row) -> StorageObject? {
        guard let hash = BlobHash(row["hash"] as String) else { return nil }
        return StorageObject(
            project: row["project"],
            bucket: row["bucket"],
            name: row["name"],
            hash: hash,
            byteCount: row["size"],
            crc32c: row["crc32c"],
            md5: row["md5"],
            contentType: row["contentType"],
            createTime: Timestamp(milliseconds: row["createTime"])
        )
    }

    func deleteObject(
        _ name: String,
        in bucket: String,
        of project: String,
        at time: Timestamp,
        audit: AuditEntry
    ) async throws -> Bool {
        try await pool.write { db in
            let key: StatementArguments = [project, bucket, name]
            try Self.release(db, time: time, Self.servedFile, key)
            try db.execute(sql: "DELETE FROM object WHERE project = ? AND bucket = ? AND name = ?", arguments: key)
            guard db.changesCount == 1 else { return false }
            try Self.log(audit, db)
            return true
        }
    }

    /// Removes the objects of a file from a copy of the records that is not in use yet.
    func deleteObjects(of hash: BlobHash) async throws {
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM object WHERE hash = ?", arguments: [hash.text])
        }
    }

    /// Records the time at which the hashes of a query lost a reference.
    static func release(_ db: Database, time: Timestamp, _ query: String, _ arguments: StatementArguments) throws {
        try db.execute(
            sql:
                "INSERT OR REPLACE INTO released (hash, time) SELECT DISTINCT hash, \(time.milliseconds) FROM (\(query))",
            arguments: arguments
        )
    }

    func referencedBlobs() async throws -> [BlobHash: Int] {
        try await pool.read { db in
            var sizes: [BlobHash: Int] = [:]
            let rows = try Row.fetchCursor(
                db,
                sql: "SELECT hash, size FROM version UNION SELECT hash, size FROM object"
            )
            while let row = try rows.next() {
                if let hash = BlobHash(row["hash"] as String) { sizes[hash] = row["size"] }
            }
            return sizes
        }
    }

    func dropUnusedObjects(before moment: Timestamp, now: Timestamp) async throws -> Int {
        try await pool.write { db in
            let condition = """
                createTime < ? AND NOT EXISTS (
                    SELECT 1 FROM version JOIN model ON model.id = version.model
                    WHERE version.hash = object.hash AND model.project = object.project)
                AND NOT EXISTS (
                    SELECT 1 FROM model WHERE model.project = object.project
                        AND model.objectURI = 'gs://' || object.bucket || '/' || object.name)
                """
            let arguments: StatementArguments = [moment.milliseconds]
            try Self.release(db, time: now, "SELECT hash FROM object WHERE \(condition)", arguments)
            try db.execute(sql: "DELETE FROM object WHERE \(condition)", arguments: arguments)
            return db.changesCount
        }
    }

    func removeUnreferenced(
        _ hashes: [BlobHash],
        since moment: Timestamp,
        remove: @escaping @Sendable (BlobHash) throws -> Void
    ) async throws -> Int {
        try await pool.write { db in
            var removed = 0
            for hash in hashes {
                let isKept = try Bool.fetchOne(
                    db,
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM version WHERE hash = :hash)
                            OR EXISTS (SELECT 1 FROM object WHERE hash = :hash)
                            OR EXISTS (SELECT 1 FROM released WHERE hash = :hash AND time >= :moment)
                        """,
                    arguments: ["hash": hash.text, "moment": moment.milliseconds]
                )
                guard isKept == false else { continue }
                try remove(hash)
                try db.execute(sql: "DELETE FROM released WHERE hash = ?", arguments: [hash.text])
                removed += 1
            }
            return removed
        }
    }
}

extension HubRecords {
    /// Adds or replaces an object, whose file the caller has claimed and stored, and ends the claim. `upload` is the id of
    /// the resumable upload, if any, whose record ends too.
    ///
    /// Throws `.aborted` if there is no claim, and `.resourceExhausted` if the project's quota has no room for the
    /// object; then the claim remains.
    func put(_ object: StorageObject, upload: String?, audit: AuditEntry) async throws {
        try await database.write(in: object.project) { db in
            try Self.endClaim(of: object.hash, db)
            let key: Columns = ["project": object.project, "bucket": object.bucket, "name": object.name]
            try Self.release(db, at: object.createTime, Self.servedFile, key)
            try db.insert(
                key.merging([
                    "hash": object.hash.text,
                    "size": object.byteCount,
                    "crc32c": object.crc32c,
                    "md5": object.md5,
                    "contentType": object.contentType,
                    "createTime": object.createTime.milliseconds,
                    "upload": upload,
                ]),
                into: "object",
                """
                ON CONFLICT (project, bucket, name) DO UPDATE SET hash = excluded.hash, size = excluded.size,
                    crc32c = excluded.crc32c, md5 = excluded.md5, contentType = excluded.contentType,
                    createTime = excluded.createTime, upload = excluded.upload
                """
            )
            if let upload { try Self.endUpload(upload, db) }
            try Self.checkQuota(of: object.project, db)
            try Self.log(audit, db)
        }
    }

    private static let place = "project = :project AND bucket = :bucket AND name = :name"

    /// The file of an object if a version has or had it, so that addresses may lead to it.
    private static let servedFile = """
        SELECT hash FROM object WHERE \(place)
            AND (EXISTS (SELECT 1 FROM version WHERE version.hash = object.hash)
                OR EXISTS (SELECT 1 FROM blob AS served WHERE served.hash = object.hash AND served.releaseTime IS NOT NULL))
        """

    /// The object with the given name.
    func object(_ name: String, in bucket: String, of project: String) async throws -> StorageObject? {
        try await database.read { db in
            try db.row(
                "SELECT * FROM object WHERE \(Self.place)",
                ["project": project, "bucket": bucket, "name": name]
            ).flatMap(Self.object)
        }
    }

    /// Whether a project has objects in a bucket.
    func hasObjects(in bucket: String, of project: String) async throws -> Bool {
        try await database.read { db in
            try db.value(
                Bool.self,
                "SELECT EXISTS (SELECT 1 FROM object WHERE project = :project AND bucket = :bucket)",
                ["project": project, "bucket": bucket]
            ) == true
        }
    }

    /// The object of a resumable upload, unless another object replaced it.
    func object(ofUpload id: String, of project: String) async throws -> StorageObject? {
        try await database.read { db in
            try db.row(
                "SELECT * FROM object WHERE upload = :upload AND project = :project",
                ["upload": id, "project": project]
            ).flatMap(Self.object)
        }
    }

    private static func object(_ row: SQLRow) throws -> StorageObject? {
        guard let hash = BlobHash(try row["hash"] as String) else { return nil }
        return try StorageObject(
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

    /// Removes an object; false if it does not exist.
    func deleteObject(
        _ name: String,
        in bucket: String,
        of project: String,
        at time: Timestamp,
        audit: AuditEntry
    ) async throws -> Bool {
        try await database.write { db in
            let key: Columns = ["project": project, "bucket": bucket, "name": name]
            try Self.release(db, at: time, Self.servedFile, key)
            guard try db.change("DELETE FROM object WHERE \(Self.place)", key) == 1 else { return false }
            try Self.log(audit, db)
            return true
        }
    }

    /// Removes the objects of a file from a copy of the records that is not in use yet.
    func deleteObjects(of hash: BlobHash) async throws {
        try await database.write { db in
            _ = try db.change("DELETE FROM object WHERE hash = :hash", ["hash": hash.text])
            _ = try db.change("DELETE FROM photo WHERE hash = :hash", ["hash": hash.text])
        }
    }

    /// Removes objects that are older than a moment and that no version uses; returns their number.
    func dropUnusedObjects(before moment: Timestamp, now: Timestamp) async throws -> Int {
        try await database.write { db in
            let key: Columns = ["moment": moment.milliseconds]
            try Self.release(db, at: now, "SELECT hash FROM object WHERE \(Self.isUnused)", key)
            return try db.change("DELETE FROM object WHERE \(Self.isUnused)", key)
        }
    }

    private static let isUnused = """
        object.createTime < :moment AND NOT EXISTS (
            SELECT 1 FROM version JOIN model ON model.id = version.model
            WHERE version.hash = object.hash AND model.project = object.project)
        AND NOT EXISTS (
            SELECT 1 FROM model WHERE model.project = object.project
                AND model.objectURI = 'gs://' || object.bucket || '/' || object.name)
        """
}

extension HubRecords {
    /// Adds an upload.
    ///
    /// - Throws: `.resourceExhausted` if the project already has a number of uploads.
    func insert(_ upload: UploadRecord, limit: Int) async throws {
        try await database.write(in: upload.project) { db in
            let key: Columns = ["project": upload.project]
            let count = try db.value(Int.self, "SELECT count(*) FROM upload WHERE project = :project", key)
            guard count ?? 0 < limit else {
                throw HubError(
                    .resourceExhausted,
                    "The project has \(limit) unfinished uploads; finish or cancel some."
                )
            }
            try db.insert(
                key.merging([
                    "id": upload.id,
                    "bucket": upload.bucket,
                    "name": upload.name,
                    "contentType": upload.contentType,
                    "byteCount": upload.byteCount,
                    "time": upload.time.milliseconds,
                    "hash": upload.summary?.hash.text,
                    "crc32c": upload.summary?.crc32c,
                    "md5": upload.summary?.md5,
                ]),
                into: "upload"
            )
        }
    }

    /// The upload with an id, if it belongs to a project.
    func upload(_ id: String, of project: String) async throws -> UploadRecord? {
        try await database.read { db in
            try db.row("SELECT * FROM upload WHERE id = :id AND project = :project", ["id": id, "project": project])
                .map { try Self.upload($0) }
        }
    }

    private static func upload(_ row: SQLRow) throws -> UploadRecord {
        let byteCount: Int = try row["byteCount"]
        let hash = try (row["hash"] as String?).flatMap { BlobHash($0) }
        return UploadRecord(
            id: try row["id"],
            project: try row["project"],
            bucket: try row["bucket"],
            name: try row["name"],
            contentType: try row["contentType"],
            byteCount: byteCount,
            time: Timestamp(milliseconds: try row["time"]),
            summary: try hash.map {
                FileSummary(hash: $0, byteCount: byteCount, crc32c: try row["crc32c"], md5: try row["md5"])
            }
        )
    }

    /// Records that bytes arrived, and the description of the file when it is complete; false if the upload has ended.
    func noteProgress(
        of id: String,
        in project: String,
        byteCount: Int,
        summary: FileSummary?,
        at time: Timestamp
    ) async throws -> Bool {
        try await database.write(in: project) { db in
            try db.update(
                "upload",
                set: [
                    "byteCount": byteCount,
                    "time": time.milliseconds,
                    "hash": summary?.hash.text,
                    "crc32c": summary?.crc32c,
                    "md5": summary?.md5,
                ],
                where: "id = :id",
                ["id": id]
            ) == 1
        }
    }

    /// The recorded bytes of all uploads of a project.
    func unfinishedBytes(of project: String) async throws -> Int {
        try await database.read { db in
            try db.value(
                Int.self,
                "SELECT CAST(coalesce(sum(byteCount), 0) AS BIGINT) FROM upload WHERE project = :project",
                ["project": project]
            ) ?? 0
        }
    }

    /// Ends an upload without an object; has no effect if it has ended.
    func deleteUpload(_ id: String, of project: String) async throws {
        try await database.write(in: project) { db in try Self.endUpload(id, db) }
    }

    /// Removes the record of an upload, in the transaction that adds its object or by itself.
    static func endUpload(_ id: String, _ db: any SQLTransaction) throws {
        try db.change("DELETE FROM upload WHERE id = :id", ["id": id])
    }

    /// Ends the uploads without bytes since a moment.
    func deleteUploads(inactiveSince moment: Timestamp) async throws {
        try await database.write { db in
            _ = try db.change("DELETE FROM upload WHERE time < :moment", ["moment": moment.milliseconds])
        }
    }

    /// The ids of all uploads.
    func uploadIDs() async throws -> Set<String> {
        try await database.read { db in try Set(db.rows("SELECT id FROM upload").map { try $0["id"] }) }
    }

    /// Removes all uploads from a copy of the records, which has none of their bytes.
    func forgetUploads() async throws {
        try await database.write { db in _ = try db.change("DELETE FROM upload") }
    }
}

extension HubRecords {
    /// Adds a data set, and gives it an id.
    ///
    /// - Throws: `.alreadyExists`, or `.resourceExhausted` if the project has too many.
    func insert(_ dataSet: DataSet, audit: AuditEntry) async throws -> DataSet {
        try await database.write(in: dataSet.project) { db in
            var dataSet = dataSet
            let count = try db.value(
                Int.self,
                "SELECT count(*) FROM dataSet WHERE project = :project",
                ["project": dataSet.project]
            )
            guard try Self.dataSet(dataSet.name, of: dataSet.project, db) == nil else {
                throw HubError(
                    .alreadyExists,
                    "The data set \"\(dataSet.name)\" already exists; add photos to it, or choose another name."
                )
            }
            guard count ?? 0 < DataSet.limit else {
                throw HubError(
                    .resourceExhausted,
                    "The project already has \(DataSet.limit) data sets; delete one first."
                )
            }
            dataSet.id = try db.insertNew(
                [
                    "project": dataSet.project, "name": dataSet.name, "actor": dataSet.actor,
                    "createTime": dataSet.createTime.milliseconds,
                ],
                into: "dataSet"
            )
            try Self.log(audit, db)
            return dataSet
        }
    }

    /// The data sets of a project, by name.
    func dataSets(of project: String) async throws -> [DataSet] {
        try await database.read { db in
            try db.rows("SELECT * FROM dataSet WHERE project = :project ORDER BY name", ["project": project])
                .map(Self.dataSet)
        }
    }

    /// The data set with a name; nil if there is none.
    func dataSet(_ name: String, of project: String) async throws -> DataSet? {
        try await database.read { db in try Self.dataSet(name, of: project, db) }
    }

    private static func dataSet(_ name: String, of project: String, _ db: any SQLTransaction) throws -> DataSet? {
        try db.row(
            "SELECT * FROM dataSet WHERE project = :project AND name = :name",
            ["project": project, "name": name]
        )
        .map(dataSet)
    }

    private static func dataSet(_ row: SQLRow) throws -> DataSet {
        try DataSet(
            id: row["id"],
            project: row["project"],
            name: row["name"],
            actor: row["actor"],
            createTime: Timestamp(milliseconds: row["createTime"])
        )
    }

    /// Removes a data set with its photos and trainings.
    ///
    /// - Returns: The hashes of its photos; nil if there is no such data set.
    func deleteDataSet(_ id: Int64, of project: String, audit: AuditEntry) async throws -> [BlobHash]? {
        try await database.write(in: project) { db in
            let hashes = try db.rows("SELECT hash FROM photo WHERE dataSet = :id", ["id": id])
                .compactMap { BlobHash(try $0["hash"] as String) }
            guard try db.change("DELETE FROM dataSet WHERE id = :id", ["id": id]) == 1 else { return nil }
            try Self.log(audit, db)
            return hashes
        }
    }

    /// The statement that counts the photos of a data set, which reads an index alone.
    static let countStatement = """
        SELECT label, count(*) AS photos, CAST(coalesce(sum(size), 0) AS BIGINT) AS bytes,
            count(boxRevision) AS boxed
        FROM photo WHERE dataSet = :id GROUP BY label ORDER BY label
        """

    /// The numbers of the photos of a data set.
    func counts(ofDataSet id: Int64) async throws -> DataSetCounts {
        try await database.read { db in
            var counts = DataSetCounts()
            let rows = try db.rows(Self.countStatement, ["id": id])
            for row in rows {
                let count: Int = try row["photos"]
                counts.byteCount += try row["bytes"] as Int
                counts.photos += count
                counts.boxed += try row["boxed"] as Int
                if let label: String = try row["label"] {
                    counts.labels.append((label, count))
                } else {
                    counts.unlabeled = count - (try row["boxed"] as Int)
                }
            }
            counts.boxLabels = try db.rows(
                "SELECT label, count(*) AS boxes FROM photoBox WHERE dataSet = :id GROUP BY label ORDER BY label",
                ["id": id]
            ).map { try ($0["label"], $0["boxes"]) }
            return counts
        }
    }
}

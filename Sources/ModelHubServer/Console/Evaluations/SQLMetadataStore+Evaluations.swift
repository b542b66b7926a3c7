extension SQLMetadataStore {
    func insert(_ evaluation: EvaluationRecord, audit: AuditEntry) async throws -> EvaluationRecord {
        try await database.write { db in
            var evaluation = evaluation
            evaluation.id = try db.insertNew(
                Self.result(of: evaluation).merging([
                    "project": evaluation.project,
                    "model": evaluation.model,
                    "version": evaluation.version,
                    "hash": evaluation.hash.text,
                    "archiveName": evaluation.archiveName,
                    "byteCount": evaluation.byteCount,
                    "actor": evaluation.actor,
                    "createTime": evaluation.createTime.milliseconds,
                ]),
                into: "evaluation"
            )
            try Self.checkQuota(of: evaluation.project, db)
            try Self.log(audit, db)
            return evaluation
        }
    }

    func update(_ evaluation: EvaluationRecord, audit: AuditEntry?) async throws {
        try await database.write { db in
            _ = try db.update("evaluation", set: Self.result(of: evaluation), where: "id = :id", ["id": evaluation.id])
            if let audit { try Self.log(audit, db) }
        }
    }

    /// The values that change.
    private static func result(of evaluation: EvaluationRecord) -> Columns {
        [
            "endTime": evaluation.endTime?.milliseconds,
            "state": evaluation.state.rawValue,
            "message": evaluation.message,
            "pictureCount": evaluation.pictureCount,
            "top1": evaluation.top1,
        ]
    }

    func evaluation(_ id: Int64, of project: String) async throws -> EvaluationRecord? {
        try await database.read { db in
            try db.row(
                "SELECT * FROM evaluation WHERE id = :id AND project = :project",
                ["id": id, "project": project]
            ).flatMap(Self.evaluation)
        }
    }

    func evaluations(of model: Int64) async throws -> [EvaluationRecord] {
        try await database.read { db in
            try db.rows("SELECT * FROM evaluation WHERE model = :model ORDER BY id DESC", ["model": model])
                .compactMap(Self.evaluation)
        }
    }

    func deleteEvaluation(_ id: Int64, audit: AuditEntry?) async throws {
        try await database.write { db in
            try db.change("DELETE FROM evaluation WHERE id = :id", ["id": id])
            if let audit { try Self.log(audit, db) }
        }
    }

    func evaluationIDs() async throws -> Set<Int64> {
        try await database.read { db in Set(try db.rows("SELECT id FROM evaluation").map { try $0["id"] }) }
    }

    func interruptEvaluations(at time: Timestamp, message: String) async throws {
        try await database.write { db in
            _ = try db.update(
                "evaluation",
                set: ["state": "failed", "message": message, "endTime": time.milliseconds],
                where: "state IN ('waiting', 'running')",
                [:]
            )
        }
    }

    private static func evaluation(_ row: SQLRow) throws -> EvaluationRecord? {
        guard let hash = BlobHash(try row["hash"] as String),
            let state = EvaluationRecord.State(rawValue: try row["state"])
        else { return nil }
        return try EvaluationRecord(
            id: row["id"],
            project: row["project"],
            model: row["model"],
            version: row["version"],
            hash: hash,
            archiveName: row["archiveName"],
            byteCount: row["byteCount"],
            actor: row["actor"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            endTime: (row["endTime"] as Int64?).map { Timestamp(milliseconds: $0) },
            state: state,
            message: row["message"],
            pictureCount: row["pictureCount"],
            top1: row["top1"]
        )
    }
}

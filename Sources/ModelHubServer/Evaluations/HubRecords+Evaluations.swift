extension HubRecords {
    /// Adds an evaluation, and gives it an id.
    func insert(_ evaluation: EvaluationRecord, audit: AuditEntry) async throws -> EvaluationRecord {
        try await database.write { db in
            var evaluation = evaluation
            evaluation.id = try db.insertNew(
                Self.result(of: evaluation).merging([
                    "project": evaluation.project,
                    "model": evaluation.model,
                    "kind": evaluation.kind,
                    "version": evaluation.version,
                    "hash": evaluation.hash.text,
                    "servedVersion": evaluation.served?.number,
                    "servedHash": evaluation.served?.hash.text,
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

    /// Updates an evaluation, with an entry of the audit log if a caller requested the change.
    func update(_ evaluation: EvaluationRecord, audit: AuditEntry? = nil) async throws {
        try await database.write { db in
            _ = try db.update("evaluation", set: Self.result(of: evaluation), where: "id = :id", ["id": evaluation.id])
            if let audit { try Self.log(audit, db) }
        }
    }

    /// Updates an evaluation unless it was canceled or deleted; returns whether it did.
    func updateOpen(_ evaluation: EvaluationRecord, audit: AuditEntry? = nil) async throws -> Bool {
        try await database.write { db in
            let count = try db.update(
                "evaluation",
                set: Self.result(of: evaluation),
                where: "id = :id AND state IN ('waiting', 'running')",
                ["id": evaluation.id]
            )
            if count == 1, let audit { try Self.log(audit, db) }
            return count == 1
        }
    }

    /// The values that change.
    private static func result(of evaluation: EvaluationRecord) -> Columns {
        [
            "endTime": evaluation.endTime?.milliseconds,
            "state": evaluation.state.rawValue,
            "message": evaluation.message,
            "pictureCount": evaluation.pictureCount,
            "score": evaluation.score,
            "comparison": evaluation.comparison,
        ]
    }

    /// The evaluation with the given id.
    func evaluation(_ id: Int64, of project: String) async throws -> EvaluationRecord? {
        try await database.read { db in
            try db.row(
                "SELECT * FROM evaluation WHERE id = :id AND project = :project",
                ["id": id, "project": project]
            ).flatMap(Self.evaluation)
        }
    }

    /// The evaluations of a model, newest first.
    func evaluations(of model: Int64) async throws -> [EvaluationRecord] {
        try await database.read { db in
            try db.rows("SELECT * FROM evaluation WHERE model = :model ORDER BY id DESC", ["model": model])
                .compactMap(Self.evaluation)
        }
    }

    /// Removes an evaluation.
    func deleteEvaluation(_ id: Int64, audit: AuditEntry?) async throws {
        try await database.write { db in
            try db.change("DELETE FROM evaluation WHERE id = :id", ["id": id])
            if let audit { try Self.log(audit, db) }
        }
    }

    /// All ids, for removing folders without an evaluation.
    func evaluationIDs() async throws -> Set<Int64> {
        try await database.read { db in Set(try db.rows("SELECT id FROM evaluation").map { try $0["id"] }) }
    }

    /// Records that open evaluations are alive: a hub still works on them, or will.
    func keepEvaluationsAlive(_ ids: [Int64], at time: Timestamp) async throws {
        guard !ids.isEmpty else { return }
        try await database.write { db in
            for id in ids {
                try db.update("evaluation", set: ["heartbeat": time.milliseconds], where: "id = :id", ["id": id])
            }
        }
    }

    /// Marks the open evaluations as interrupted that no hub kept alive since a moment.
    ///
    /// - Parameters:
    ///   - moment: The moment.
    ///   - time: The present time.
    ///   - latest: The latest plausible sign of life. A later one was given before the clock was set back; it counts as one of now, which a hub that is alive
    ///     soon replaces.
    ///   - message: The message of interrupted evaluations.
    func interruptEvaluations(
        silentSince moment: Timestamp,
        at time: Timestamp,
        latest: Timestamp,
        message: String
    ) async throws {
        try await database.write { db in
            try db.update(
                "evaluation",
                set: ["heartbeat": time.milliseconds],
                where: "state IN ('waiting', 'running') AND coalesce(heartbeat, createTime) > :latest",
                ["latest": latest.milliseconds]
            )
            _ = try db.update(
                "evaluation",
                set: ["state": "failed", "message": message, "endTime": time.milliseconds],
                where: "state IN ('waiting', 'running') AND coalesce(heartbeat, createTime) <= :moment",
                ["moment": moment.milliseconds]
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
            kind: row["kind"],
            version: row["version"],
            hash: hash,
            served: (row["servedVersion"] as Int?).flatMap { number in
                try (row["servedHash"] as String?).flatMap { BlobHash($0) }.map { .init(number: number, hash: $0) }
            },
            archiveName: row["archiveName"],
            byteCount: row["byteCount"],
            actor: row["actor"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            endTime: (row["endTime"] as Int64?).map { Timestamp(milliseconds: $0) },
            state: state,
            message: row["message"],
            pictureCount: row["pictureCount"],
            score: row["score"],
            comparison: row["comparison"]
        )
    }
}

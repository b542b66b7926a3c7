import Foundation
import GRDB

extension SQLiteMetadataStore {
    func insert(_ evaluation: EvaluationRecord, audit: AuditEntry) async throws -> EvaluationRecord {
        try await pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO evaluation (project, model, version, hash, archiveName, byteCount, actor, createTime, state)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    evaluation.project, evaluation.model, evaluation.version, evaluation.hash.text,
                    evaluation.archiveName, evaluation.byteCount, evaluation.actor, evaluation.createTime.milliseconds,
                    evaluation.state.rawValue,
                ]
            )
            var evaluation = evaluation
            evaluation.id = db.lastInsertedRowID
            try Self.checkQuota(of: evaluation.project, db)
            try Self.log(audit, db)
            return evaluation
        }
    }

    func update(_ evaluation: EvaluationRecord, audit: AuditEntry?) async throws {
        try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE evaluation SET endTime = ?, state = ?, message = ?, pictureCount = ?, top1 = ? WHERE id = ?
                    """,
                arguments: [
                    evaluation.endTime?.milliseconds, evaluation.state.rawValue, evaluation.message,
                    evaluation.pictureCount, evaluation.top1, evaluation.id,
                ]
            )
            if let audit { try Self.log(audit, db) }
        }
    }

    func evaluation(_ id: Int64, of project: String) async throws -> EvaluationRecord? {
        try await pool.read { db in
            try Row.fetchOne(
                db,
                sql: "SELECT * FROM evaluation WHERE id = ? AND project = ?",
                arguments: [id, project]
            ).flatMap(Self.evaluation)
        }
    }

    func evaluations(of model: Int64) async throws -> [EvaluationRecord] {
        try await pool.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM evaluation WHERE model = ? ORDER BY id DESC", arguments: [model])
                .compactMap(Self.evaluation)
        }
    }

    func deleteEvaluation(_ id: Int64, audit: AuditEntry?) async throws {
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM evaluation WHERE id = ?", arguments: [id])
            if let audit { try Self.log(audit, db) }
        }
    }

    func evaluationIDs() async throws -> Set<Int64> {
        try await pool.read { db in try Int64.fetchSet(db, sql: "SELECT id FROM evaluation") }
    }

    func interruptEvaluations(at time: Timestamp, message: String) async throws {
        try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE evaluation SET state = 'failed', message = ?, endTime = ? WHERE state IN ('waiting', 'running')
                    """,
                arguments: [message, time.milliseconds]
            )
        }
    }

    private static func evaluation(_ row: Row) -> EvaluationRecord? {
        guard let hash = BlobHash(row["hash"] as String), let state = EvaluationRecord.State(rawValue: row["state"])
        else { return nil }
        return EvaluationRecord(
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

import Foundation
import GRDB

extension SQLiteMetadataStore {
    /// How long a batch is remembered; clients give theirs up earlier.
    private static let batchLifetime = Duration.seconds(30 * 24 * 3600)
    /// How many models and metrics an experiment's variants may have together; clients choose their names.
    private static let rowLimit = 400
    /// How many installations are told apart for a metric of a variant.
    private static let installationLimit = 1_000_000

    func add(_ batch: OutcomeBatch, to project: String, at time: Timestamp) async throws -> Bool {
        try await pool.write { db in
            try db.execute(
                sql: "DELETE FROM outcomeBatch WHERE time < ?",
                arguments: [time.advanced(by: .zero - Self.batchLifetime).milliseconds]
            )
            try db.execute(
                sql: "INSERT OR IGNORE INTO outcomeBatch (project, id, time) VALUES (?, ?, ?)",
                arguments: [project, batch.id, time.milliseconds]
            )
            guard db.changesCount == 1 else { return false }
            for record in batch.records {
                // Each counts for its model and for all models together.
                for model in [record.model, ""] {
                    try Self.add(record, model: model, batch.installation, project, db)
                }
            }
            return true
        }
    }

    private static func add(
        _ record: OutcomeBatch.Record,
        model: String,
        _ installation: [UInt8],
        _ project: String,
        _ db: Database
    ) throws {
        let key: StatementArguments = [project, record.experiment, record.variant, model, record.metric.text]
        let place = "project = ? AND experiment = ? AND variant = ? AND model = ? AND metric = ?"
        let known = try Row.fetchOne(db, sql: "SELECT * FROM outcome WHERE \(place)", arguments: key)
        var total =
            try known.map(Self.total)
            ?? OutcomeTotal(variant: record.variant, model: model, metric: record.metric)
        if known == nil {
            let count = try Int.fetchOne(
                db,
                sql: "SELECT count(*) FROM outcome WHERE project = ? AND experiment = ?",
                arguments: [project, record.experiment]
            )
            guard count ?? 0 < rowLimit else { return }
        }
        let before = try Row.fetchOne(
            db,
            sql: "SELECT count, sum FROM outcomeOfInstallation WHERE \(place) AND installation = ?",
            arguments: key + [Data(installation)]
        ).map { (count: $0["count"] as Int, sum: $0["sum"] as Double) }
        guard before != nil || total.installations < installationLimit else { return }
        total.add(record, before: before)
        try db.execute(
            sql: """
                INSERT INTO outcomeOfInstallation (project, experiment, variant, model, metric, installation, count, sum)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count, sum = sum + excluded.sum
                """,
            arguments: key + [Data(installation), record.count, record.sum]
        )
        let histogram = String(decoding: try JSONEncoder().encode(total.histogram), as: UTF8.self)
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO outcome (project, experiment, variant, model, metric, installations, count, sum,
                    squares, sumNN, sumXX, sumNX, histogram)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: key + [
                total.installations, total.count, total.sum, total.squares, total.sumNN, total.sumXX, total.sumNX,
                histogram,
            ]
        )
    }

    func outcomes(of experiment: String, of project: String) async throws -> [OutcomeTotal] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM outcome WHERE project = ? AND experiment = ? ORDER BY metric, variant, model",
                arguments: [project, experiment]
            ).map(Self.total)
        }
    }

    private static func total(_ row: Row) throws -> OutcomeTotal {
        OutcomeTotal(
            variant: row["variant"],
            model: row["model"],
            metric: OutcomeMetric(row["metric"]) ?? .results,
            installations: row["installations"],
            count: row["count"],
            sum: row["sum"],
            squares: row["squares"],
            sumNN: row["sumNN"],
            sumXX: row["sumXX"],
            sumNX: row["sumNX"],
            histogram: try JSONDecoder().decode([Int: Int].self, from: Data((row["histogram"] as String).utf8))
        )
    }
}

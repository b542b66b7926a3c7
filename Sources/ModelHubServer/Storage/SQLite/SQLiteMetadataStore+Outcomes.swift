import Foundation
import GRDB

extension SQLiteMetadataStore {
    /// The maximum number of models and metrics in an experiment's variants; clients choose their names.
    private static let rowLimit = 400
    /// The maximum number of rows for single installations in an experiment. Each installation has a row for every
    /// metric of every model that it reported.
    private static let installationRowLimit = 2_000_000
    /// The number of batches of a project that are remembered.
    private static let batchLimit = 1_000_000

    func add(_ batch: OutcomeBatch, to project: String, at time: Timestamp) async throws -> Bool {
        // Each record counts for its model and for all models together.
        let records = (batch.records + batch.records.filter { !$0.model.isEmpty }.map { $0.ofAllModels }).merged()
        return try await pool.write { db in
            let insertion = try db.cachedStatement(
                sql: "INSERT OR IGNORE INTO outcomeBatch (project, id, time) VALUES (?, ?, ?)"
            )
            try insertion.execute(arguments: [project, batch.id, time.milliseconds])
            guard db.changesCount == 1 else { return false }
            var room: [String: Room] = [:]
            for record in records {
                let known = try room[record.experiment] ?? Self.room(of: record.experiment, project, db)
                room[record.experiment] = try Self.add(record, batch.installation, project, known, db)
            }
            return true
        }
    }

    func forgetOutcomeBatches(before time: Timestamp) async throws {
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM outcomeBatch WHERE time < ?", arguments: [time.milliseconds])
            let counts = try Row.fetchAll(
                db,
                sql: "SELECT project, count(*) AS count FROM outcomeBatch GROUP BY project"
            )
            for row in counts {
                let (project, count): (String, Int) = (row["project"], row["count"])
                guard count > Self.batchLimit else { continue }
                try db.execute(
                    sql: """
                        DELETE FROM outcomeBatch WHERE project = ? AND id IN (
                            SELECT id FROM outcomeBatch WHERE project = ? ORDER BY time LIMIT ?)
                        """,
                    arguments: [project, project, count - Self.batchLimit]
                )
            }
        }
    }

    /// The number of rows that an experiment may still add.
    private struct Room {
        var rows: Int
        var installationRows: Int
    }

    private static func room(of experiment: String, _ project: String, _ db: Database) throws -> Room {
        let statement = try db.cachedStatement(
            sql: """
                SELECT count(*) AS number, coalesce(sum(installations), 0) AS installations
                FROM outcome WHERE project = ? AND experiment = ?
                """
        )
        let row = try Row.fetchOne(statement, arguments: [project, experiment])
        return Room(
            rows: rowLimit - (row?["number"] ?? 0),
            installationRows: installationRowLimit - (row?["installations"] ?? 0)
        )
    }

    /// Adds a record if there is room for it; returns the remaining room.
    private static func add(
        _ record: OutcomeBatch.Record,
        _ installation: [UInt8],
        _ project: String,
        _ room: Room,
        _ db: Database
    ) throws -> Room {
        var room = room
        let key: StatementArguments = [project, record.experiment, record.variant, record.model, record.metric.text]
        let known = try Row.fetchOne(try db.cachedStatement(sql: selectOutcome), arguments: key)
        if known == nil {
            guard room.rows > 0 else { return room }
            room.rows -= 1
        }
        var total =
            try known.map(Self.total)
            ?? OutcomeTotal(variant: record.variant, model: record.model, metric: record.metric)
        if record.metric == .unidentified {
            total.count = total.count.addingReportingOverflow(record.count).partialValue
        } else {
            let before = try Row.fetchOne(
                try db.cachedStatement(sql: selectInstallation),
                arguments: key + [Data(installation)]
            ).map { (count: $0["count"] as Int, sum: $0["sum"] as Double) }
            if before == nil {
                guard room.installationRows > 0 else { return room }
                room.installationRows -= 1
            }
            total.add(record, before: before)
            try db.cachedStatement(sql: addInstallation).execute(
                arguments: key + [Data(installation), record.count, record.sum]
            )
        }
        let histogram =
            total.histogram.isEmpty ? "{}" : String(decoding: try JSONEncoder().encode(total.histogram), as: UTF8.self)
        try db.cachedStatement(sql: putOutcome).execute(
            arguments: key + [
                total.installations, total.count, total.sum, total.squares, total.sumNN, total.sumXX, total.sumNX,
                histogram,
            ]
        )
        return room
    }

    private static let place = "project = ? AND experiment = ? AND variant = ? AND model = ? AND metric = ?"
    private static let selectOutcome = "SELECT * FROM outcome WHERE \(place)"
    private static let selectInstallation =
        "SELECT count, sum FROM outcomeOfInstallation WHERE \(place) AND installation = ?"
    private static let addInstallation = """
        INSERT INTO outcomeOfInstallation (project, experiment, variant, model, metric, installation, count, sum)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET count = count + excluded.count, sum = sum + excluded.sum
        """
    private static let putOutcome = """
        INSERT OR REPLACE INTO outcome (project, experiment, variant, model, metric, installations, count, sum,
            squares, sumNN, sumXX, sumNX, histogram)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

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

extension OutcomeBatch.Record {
    /// The same sums, for all models together.
    fileprivate var ofAllModels: Self {
        var record = self
        record.model = ""
        return record
    }
}

import Foundation

extension HubRecords {
    /// The maximum number of models and metrics in an experiment's variants; clients choose their names.
    private static let rowLimit = 400
    /// The maximum number of rows for single installations in an experiment. Each installation has a row for every
    /// metric of every model that it reported.
    private static let installationRowLimit = 2_000_000
    /// The number of batches of a project that are remembered.
    private static let batchLimit = 1_000_000

    /// Adds a batch; false if it was added before.
    ///
    /// - Parameters:
    ///   - batch: The outcomes of experiments.
    ///   - rollouts: The outcomes of rollouts in the same batch.
    ///   - results: All accepted outcomes, for the days of their models.
    ///   - shadows: The comparisons of versions in the same batch.
    ///   - confidences: The mean confidences in the same batch.
    func add(
        _ batch: OutcomeBatch,
        rollouts: [RolloutReport] = [],
        results: [OutcomeBatch.Record]? = nil,
        shadows: [ShadowReport] = [],
        confidences: [ConfidenceReport] = [],
        to project: String,
        at time: Timestamp
    ) async throws -> Bool {
        // Each record counts for its model and for all models together.
        let records = (batch.records + batch.records.filter { !$0.model.isEmpty }.map { $0.ofAllModels }).merged()
        return try await database.write(in: project) { db in
            let count = try db.insert(
                ["project": project, "id": batch.id, "time": time.milliseconds],
                into: "outcomeBatch",
                "ON CONFLICT (project, id) DO NOTHING"
            )
            guard count == 1 else { return false }
            try Self.addOutcomes(results ?? batch.records, of: project, on: time.day, db)
            try Self.add(rollouts, of: batch.installation, project, db)
            try Self.add(shadows, of: batch.installation, at: time, db)
            try Self.add(confidences, of: project, in: time.week, db)
            var room: [String: Room] = [:]
            for record in records {
                let known = try room[record.experiment] ?? Self.room(of: record.experiment, project, db)
                room[record.experiment] = try Self.add(record, batch.installation, project, known, db)
            }
            return true
        }
    }

    /// Forgets batches that were added before a moment, and the oldest batches of projects with very many.
    func forgetOutcomeBatches(before time: Timestamp) async throws {
        try await database.write { db in
            try db.change("DELETE FROM outcomeBatch WHERE time < :time", ["time": time.milliseconds])
            for row in try db.rows("SELECT project, count(*) AS count FROM outcomeBatch GROUP BY project") {
                let (project, count): (String, Int) = try (row["project"], row["count"])
                guard count > Self.batchLimit else { continue }
                try db.change(
                    """
                    DELETE FROM outcomeBatch WHERE project = :project AND id IN (
                        SELECT id FROM outcomeBatch WHERE project = :project ORDER BY time LIMIT :excess)
                    """,
                    ["project": project, "excess": count - Self.batchLimit]
                )
            }
        }
    }

    /// Removes rows of single installations of experiments that stopped before a moment; their sums stay.
    ///
    /// - Returns: Whether there may be more such rows. A call removes some thousands, so that others can write meanwhile.
    func forgetInstallationsOfExperiments(stoppedBefore time: Timestamp) async throws -> Bool {
        try await database.write { db in
            try db.change(
                """
                DELETE FROM outcomeOfInstallation WHERE (project, experiment, variant, model, metric, installation) IN (
                    SELECT o.project, o.experiment, o.variant, o.model, o.metric, o.installation FROM experiment
                    JOIN outcomeOfInstallation AS o ON o.project = experiment.project AND o.experiment = experiment.id
                    WHERE experiment.stopTime < :time LIMIT :count)
                """,
                ["time": time.milliseconds, "count": Self.forgottenRows]
            ) == Self.forgottenRows
        }
    }

    /// The number of rows that an experiment may still add.
    private struct Room {
        var rows: Int
        var installationRows: Int
    }

    private static func room(of experiment: String, _ project: String, _ db: any SQLTransaction) throws -> Room {
        let row = try db.row(
            """
            SELECT count(*) AS number, CAST(coalesce(sum(installations), 0) AS BIGINT) AS installations
            FROM outcome WHERE project = :project AND experiment = :experiment
            """,
            ["project": project, "experiment": experiment]
        )
        return Room(
            rows: rowLimit - (try row?["number"] ?? 0),
            installationRows: installationRowLimit - (try row?["installations"] ?? 0)
        )
    }

    /// Adds a record if there is room for it; returns the remaining room.
    private static func add(
        _ record: OutcomeBatch.Record,
        _ installation: [UInt8],
        _ project: String,
        _ room: Room,
        _ db: any SQLTransaction
    ) throws -> Room {
        var room = room
        let key: Columns = [
            "project": project,
            "experiment": record.experiment,
            "variant": record.variant,
            "model": record.model,
            "metric": record.metric.text,
        ]
        let known = try db.row("SELECT * FROM outcome WHERE \(place)", key)
        if known == nil {
            guard room.rows > 0 else { return room }
            room.rows -= 1
        }
        var total =
            try known.map(Self.total)
            ?? OutcomeTotal(variant: record.variant, model: record.model, metric: record.metric)
        if record.metric == .unidentified {
            total.sums.count += Double(record.count)
        } else {
            let ownKey = key.merging(["installation": Data(installation)])
            let before = try db.row(
                "SELECT count, sum FROM outcomeOfInstallation WHERE \(place) AND installation = :installation",
                ownKey
            ).map { try (count: $0["count"] as Int, sum: $0["sum"] as Double) }
            if before == nil {
                guard room.installationRows > 0 else { return room }
                room.installationRows -= 1
            }
            total.add(record, before: before)
            try db.insert(
                ownKey.merging(["count": record.count, "sum": record.sum]),
                into: "outcomeOfInstallation",
                """
                ON CONFLICT (project, experiment, variant, model, metric, installation) DO UPDATE SET
                    count = outcomeOfInstallation.count + excluded.count, sum = outcomeOfInstallation.sum + excluded.sum
                """
            )
        }
        let histogram =
            total.histogram.isEmpty ? "{}" : String(decoding: try JSONEncoder().encode(total.histogram), as: UTF8.self)
        try db.insert(
            key.merging([
                "installations": total.sums.devices,
                "count": total.count,
                "sum": total.sums.sum,
                "squares": total.squares,
                "sumNN": total.sums.sumNN,
                "sumXX": total.sums.sumXX,
                "sumNX": total.sums.sumNX,
                "histogram": histogram,
            ]),
            into: "outcome",
            """
            ON CONFLICT (project, experiment, variant, model, metric) DO UPDATE SET
                installations = excluded.installations, count = excluded.count, sum = excluded.sum,
                squares = excluded.squares, sumNN = excluded.sumNN, sumXX = excluded.sumXX, sumNX = excluded.sumNX,
                histogram = excluded.histogram
            """
        )
        return room
    }

    private static let place = """
        project = :project AND experiment = :experiment AND variant = :variant AND model = :model AND metric = :metric
        """

    /// The names of the scores that apps of a project reported for experiments, in alphabetical order.
    func reportedScores(of project: String) async throws -> [String] {
        try await database.read { db in
            try db.rows(
                "SELECT DISTINCT metric FROM outcome WHERE project = :project AND metric LIKE 'score:%' ORDER BY metric LIMIT 20",
                ["project": project]
            ).compactMap { row in
                guard case .score(let name)? = OutcomeMetric(try row["metric"]) else { return nil }
                return name
            }
        }
    }

    /// The accumulated outcomes of an experiment's variants.
    func outcomes(of experiment: String, of project: String) async throws -> [OutcomeTotal] {
        try await database.read { db in
            try db.rows(
                """
                SELECT * FROM outcome WHERE project = :project AND experiment = :experiment
                ORDER BY metric, variant, model
                """,
                ["project": project, "experiment": experiment]
            ).map(Self.total)
        }
    }

    private static func total(_ row: SQLRow) throws -> OutcomeTotal {
        var total = try OutcomeTotal(
            variant: row["variant"],
            model: row["model"],
            metric: OutcomeMetric(row["metric"]) ?? .results
        )
        total.sums.devices = try row["installations"]
        (total.sums.count, total.sums.sum) = try (Double(row["count"] as Int), row["sum"])
        (total.sums.sumNN, total.sums.sumXX, total.sums.sumNX) = try (row["sumNN"], row["sumXX"], row["sumNX"])
        total.squares = try row["squares"]
        total.histogram = try JSONDecoder().decode([Int: Int].self, from: Data((row["histogram"] as String).utf8))
        return total
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

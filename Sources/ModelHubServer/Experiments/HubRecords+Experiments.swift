import Foundation

extension HubRecords {
    /// Adds an experiment, or changes its running time, its share of installations and its winner.
    static func put(_ experiment: Experiment, of project: String, _ db: any SQLTransaction) throws {
        let others = try db.value(
            Int.self,
            "SELECT count(*) FROM experiment WHERE project = :project AND id <> :id",
            ["project": project, "id": experiment.id]
        )
        guard others ?? 0 < Experiment.limit else {
            throw HubError(
                .failedPrecondition,
                "The project \"\(project)\" already has the maximum of \(Experiment.limit) experiments; use another project for new experiments."
            )
        }
        try db.insert(
            [
                "project": project,
                "id": experiment.id,
                "parameter": experiment.parameter,
                "condition": experiment.condition,
                "variants": String(decoding: try JSONEncoder().encode(experiment.variants), as: UTF8.self),
                "exposurePercent": experiment.exposurePercent,
                "startTime": experiment.startTime.milliseconds,
                "stopTime": experiment.stopTime?.milliseconds,
                "winner": experiment.winner,
            ],
            into: "experiment",
            """
            ON CONFLICT (project, id) DO UPDATE SET exposurePercent = excluded.exposurePercent,
                stopTime = excluded.stopTime, winner = excluded.winner
            """
        )
    }

    /// The experiments of a project, newest first.
    func experiments(of project: String) async throws -> [Experiment] {
        try await database.read { db in
            try db.rows(
                "SELECT * FROM experiment WHERE project = :project ORDER BY startTime DESC, id",
                ["project": project]
            ).map(Self.experiment)
        }
    }

    /// The running experiments of a project, newest first.
    func runningExperiments(of project: String) async throws -> [Experiment] {
        try await database.read { db in try Self.runningExperiments(of: project, db) }
    }

    static func runningExperiments(of project: String, _ db: any SQLTransaction) throws -> [Experiment] {
        try db.rows(
            "SELECT * FROM experiment WHERE project = :project AND stopTime IS NULL ORDER BY startTime DESC, id",
            ["project": project]
        ).map(experiment)
    }

    /// The experiment with the given id.
    func experiment(_ id: String, of project: String) async throws -> Experiment? {
        try await database.read { db in
            try db.row(
                "SELECT * FROM experiment WHERE project = :project AND id = :id",
                ["project": project, "id": id]
            ).map(Self.experiment)
        }
    }

    private static func experiment(_ row: SQLRow) throws -> Experiment {
        try Experiment(
            id: row["id"],
            parameter: row["parameter"],
            condition: row["condition"],
            variants: JSONDecoder().decode([Experiment.Variant].self, from: Data((row["variants"] as String).utf8)),
            exposurePercent: row["exposurePercent"],
            startTime: Timestamp(milliseconds: row["startTime"]),
            stopTime: (row["stopTime"] as Int64?).map { Timestamp(milliseconds: $0) },
            winner: row["winner"]
        )
    }
}

/// The confidences that apps report, by week.
extension HubRecords {
    /// Adds the reports of a batch. A model's version counts once in a batch; names that no model has are ignored.
    static func add(
        _ reports: [ConfidenceReport],
        of project: String,
        in week: Int,
        _ db: any SQLTransaction
    ) throws {
        struct Key: Hashable {
            var model: Int64
            var version: Int
        }
        var largest: [Key: ConfidenceReport] = [:]
        for report in reports {
            let row = try db.row(
                "SELECT id, version FROM model WHERE project = :project AND displayName = :name",
                ["project": project, "name": report.model]
            )
            guard let row, let version = try report.version ?? row["version"] as Int? else { continue }
            let key = try Key(model: row["id"], version: version)
            if largest[key].map({ $0.count < report.count }) ?? true { largest[key] = report }
        }
        for (key, report) in largest {
            try db.insert(
                [
                    "model": key.model, "version": key.version, "week": week, "place": report.place, "reports": 1,
                    "sum": report.mean,
                ],
                into: "confidenceWeek",
                """
                ON CONFLICT (model, version, week, place) DO UPDATE SET
                    reports = confidenceWeek.reports + excluded.reports, sum = confidenceWeek.sum + excluded.sum
                """
            )
        }
    }

    /// The weeks of each version of a model with reports, oldest first, by the version's number.
    func confidences(of model: Int64) async throws -> [Int: [ConfidenceWeek]] {
        try await database.read { db in
            var found: [Int: [ConfidenceWeek]] = [:]
            let rows = try db.rows(
                "SELECT * FROM confidenceWeek WHERE model = :model ORDER BY version, week, place",
                ["model": model]
            )
            for row in rows {
                let (version, week, place): (Int, Int, Int) = try (row["version"], row["week"], row["place"])
                guard (0..<ConfidenceWeek.ranges).contains(place) else { continue }
                var weeks = found[version, default: []]
                if weeks.last?.week != week { weeks.append(ConfidenceWeek(week: week)) }
                weeks[weeks.count - 1].counts[place] = try row["reports"]
                weeks[weeks.count - 1].sum += try row["sum"] as Double
                found[version] = weeks
            }
            return found
        }
    }

    /// The models with reports in a week, each with its project.
    func modelsWithConfidences(in week: Int) async throws -> [(project: String, model: Int64)] {
        try await database.read { db in
            try db.rows(
                """
                SELECT project, id FROM model WHERE id IN (SELECT model FROM confidenceWeek WHERE week = :week)
                ORDER BY id
                """,
                ["week": week]
            ).map { try ($0["project"], $0["id"]) }
        }
    }

    /// Removes the weeks before a week.
    func forgetConfidences(before week: Int) async throws {
        try await database.write { db in
            _ = try db.change("DELETE FROM confidenceWeek WHERE week < :week", ["week": week])
        }
    }
}

extension HubRecords {
    /// The days of a model from a day on on which something happened, oldest first.
    func days(of model: Int64, from day: Int) async throws -> [ModelDay] {
        try await database.read { db in
            try db.rows(
                "SELECT * FROM modelDay WHERE model = :model AND day >= :day ORDER BY day",
                ["model": model, "day": day]
            ).map { row in
                var day = try ModelDay(day: row["day"])
                (day.downloads, day.results) = try (row["downloads"], row["results"])
                (day.latencies, day.milliseconds) = try (row["latencies"], row["milliseconds"])
                return day
            }
        }
    }

    /// Removes the days before a day.
    func forgetDays(before day: Int) async throws {
        try await database.write { db in _ = try db.change("DELETE FROM modelDay WHERE day < :day", ["day": day]) }
    }

    /// Adds downloads of a model to a day.
    static func addDownloads(_ count: Int, of model: Int64, on day: Int, _ db: any SQLTransaction) throws {
        try db.change(
            """
            INSERT INTO modelDay (model, day, downloads) SELECT id, :day, :count FROM model WHERE id = :model
            ON CONFLICT (model, day) DO UPDATE SET downloads = modelDay.downloads + excluded.downloads
            """,
            ["model": model, "day": day, "count": count]
        )
    }

    /// Adds reported results to the days of the models that they name. Names that no model has are ignored.
    static func addOutcomes(
        _ records: [OutcomeBatch.Record],
        of project: String,
        on day: Int,
        _ db: any SQLTransaction
    ) throws {
        for (name, records) in Dictionary(grouping: records, by: \.model) where !name.isEmpty {
            let latencies = records.filter { $0.metric == .latency }
            try db.change(
                """
                INSERT INTO modelDay (model, day, results, latencies, milliseconds)
                    SELECT id, :day, :results, :latencies, :milliseconds FROM model
                    WHERE project = :project AND displayName = :name
                ON CONFLICT (model, day) DO UPDATE SET
                    results = modelDay.results + excluded.results, latencies = modelDay.latencies + excluded.latencies,
                    milliseconds = modelDay.milliseconds + excluded.milliseconds
                """,
                [
                    "project": project,
                    "name": name,
                    "day": day,
                    "results": records.filter { $0.metric == .results }.reduce(0) { $0 + $1.count },
                    "latencies": latencies.reduce(0) { $0 + $1.count },
                    "milliseconds": latencies.reduce(0) { $0 + $1.sum },
                ]
            )
        }
    }
}

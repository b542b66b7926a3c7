import Foundation
import ModelHubProtocol

extension HubRecords {
    /// The maximum numbers of rows for the labels and the installations of a comparison; clients choose their texts.
    private static let (labelLimit, installationLimit) = (1000, 200_000)

    /// The versions that a report names; nil unless both are versions of the model. Of versions with the same file, the newest counts.
    func shadowReport(of outcome: ShadowOutcome, in project: String) async throws -> ShadowReport? {
        try await database.read { db in
            let model = try db.value(
                Int64.self,
                "SELECT id FROM model WHERE project = :project AND displayName = :name",
                ["project": project, "name": outcome.model]
            )
            guard let model else { return nil }
            func version(_ hash: String) throws -> Int? {
                try db.row(
                    "SELECT number FROM version WHERE model = :model AND hash = :hash ORDER BY number DESC LIMIT 1",
                    ["model": model, "hash": hash]
                )?["number"]
            }
            guard let served = try version(outcome.served), let candidate = try version(outcome.candidate),
                served != candidate
            else { return nil }
            return ShadowReport(model: model, served: served, candidate: candidate, outcome: outcome)
        }
    }

    /// Adds reports of an installation.
    static func add(
        _ reports: [ShadowReport],
        of installation: [UInt8],
        at time: Timestamp,
        _ db: any SQLTransaction
    ) throws {
        for report in reports {
            // The version may have been deleted since the report was read.
            let known = try db.value(
                Int.self,
                "SELECT CAST(count(*) AS BIGINT) FROM version WHERE model = :model AND number IN (:served, :candidate)",
                ["model": report.model, "served": report.served, "candidate": report.candidate]
            )
            guard known == 2 else { continue }
            try add(report, installation, time, db)
        }
    }

    private static let place = "model = :model AND served = :served AND candidate = :candidate"

    private static func add(
        _ report: ShadowReport,
        _ installation: [UInt8],
        _ time: Timestamp,
        _ db: any SQLTransaction
    ) throws {
        let key: Columns = ["model": report.model, "served": report.served, "candidate": report.candidate]
        let outcome = report.outcome
        var sums = try db.row("SELECT * FROM shadow WHERE \(place)", key).map(Self.shadowSums) ?? DeviceSums()
        let ownKey = key.merging(["installation": Data(installation)])
        let before = try db.row(
            "SELECT count, different FROM shadowOfInstallation WHERE \(place) AND installation = :installation",
            ownKey
        ).map { try (count: Double($0["count"] as Int), sum: Double($0["different"] as Int)) }
        let isCounted = outcome.count > 0 && (before != nil || sums.devices < installationLimit)
        if isCounted {
            sums.replace(
                before,
                by: (
                    count: (before?.count ?? 0) + Double(outcome.count),
                    sum: (before?.sum ?? 0) + Double(outcome.different)
                )
            )
        }
        try db.insert(
            key.merging([
                "firstTime": time.milliseconds, "lastTime": time.milliseconds, "devices": sums.devices,
                "count": sums.count, "sum": sums.sum, "sumNN": sums.sumNN, "sumXX": sums.sumXX, "sumNX": sums.sumNX,
            ]),
            into: "shadow",
            """
            ON CONFLICT (model, served, candidate) DO UPDATE SET lastTime = excluded.lastTime,
                devices = excluded.devices, count = excluded.count, sum = excluded.sum, sumNN = excluded.sumNN,
                sumXX = excluded.sumXX, sumNX = excluded.sumNX
            """
        )
        if isCounted {
            try db.insert(
                ownKey.merging(["count": outcome.count, "different": outcome.different]),
                into: "shadowOfInstallation",
                """
                ON CONFLICT (model, served, candidate, installation) DO UPDATE SET
                    count = shadowOfInstallation.count + excluded.count,
                    different = shadowOfInstallation.different + excluded.different
                """
            )
        }
        try add(outcome.labels, key, db)
    }

    private static func add(_ labels: [ShadowOutcome.Label], _ key: Columns, _ db: any SQLTransaction) throws {
        let known = try db.value(
            Int.self,
            "SELECT CAST(count(*) AS BIGINT) FROM shadowLabel WHERE \(place)",
            key
        )
        var room = labelLimit - (known ?? 0)
        for label in labels where label.count > 0 {
            let own = key.merging(["label": label.label, "count": label.count, "different": label.different])
            let changed = try db.change(
                """
                UPDATE shadowLabel SET count = count + :count, different = different + :different
                WHERE \(place) AND label = :label
                """,
                own
            )
            guard changed == 0, room > 0 else { continue }
            try db.insert(own, into: "shadowLabel")
            room -= 1
        }
    }

    /// The comparisons of a model's versions, those with the latest reports first.
    func shadows(of model: Int64) async throws -> [Shadow] {
        try await database.read { db in
            try db.rows(
                "SELECT * FROM shadow WHERE model = :model ORDER BY lastTime DESC, candidate DESC, served DESC LIMIT 50",
                ["model": model]
            ).map { row in
                let (served, candidate): (Int, Int) = try (row["served"], row["candidate"])
                let labels = try db.rows(
                    """
                    SELECT label, count, different FROM shadowLabel WHERE \(Self.place)
                    ORDER BY count DESC, label LIMIT :limit
                    """,
                    ["model": model, "served": served, "candidate": candidate, "limit": Self.labelLimit]
                ).map { try Shadow.Label(label: $0["label"], count: $0["count"], different: $0["different"]) }
                return Shadow(
                    served: served,
                    candidate: candidate,
                    sums: try Self.shadowSums(row),
                    firstTime: Timestamp(milliseconds: try row["firstTime"]),
                    lastTime: Timestamp(milliseconds: try row["lastTime"]),
                    labels: labels
                )
            }
        }
    }

    private static func shadowSums(_ row: SQLRow) throws -> DeviceSums {
        var sums = DeviceSums()
        sums.devices = try row["devices"]
        (sums.count, sums.sum) = try (row["count"], row["sum"])
        (sums.sumNN, sums.sumXX, sums.sumNX) = try (row["sumNN"], row["sumXX"], row["sumNX"])
        return sums
    }

    /// Removes rows of single installations of comparisons without a report since a moment; their sums stay.
    ///
    /// - Returns: Whether there may be more such rows. A call removes some thousands, so that others can write meanwhile.
    func forgetInstallationsOfShadows(lastReportedBefore time: Timestamp) async throws -> Bool {
        try await database.write { db in
            try db.change(
                """
                DELETE FROM shadowOfInstallation WHERE (model, served, candidate, installation) IN (
                    SELECT s.model, s.served, s.candidate, s.installation FROM shadow
                    JOIN shadowOfInstallation AS s ON s.model = shadow.model AND s.served = shadow.served
                        AND s.candidate = shadow.candidate
                    WHERE shadow.lastTime < :time LIMIT :count)
                """,
                ["time": time.milliseconds, "count": Self.forgottenRows]
            ) == Self.forgottenRows
        }
    }
}

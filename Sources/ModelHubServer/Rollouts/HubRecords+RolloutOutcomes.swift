import Foundation

/// The part of a batch that concerns a guard of a rollout.
struct RolloutReport: Sendable, Hashable {
    /// The rollout's id.
    var rollout: String
    /// The guard; nil for any report of the device.
    var rolloutGuard: RolloutGuard?
    /// The group of the device: `new` or `old`.
    var group: RolloutGroup
    /// The number of values.
    var count: Double
    /// The sum of the values, on the guard's scale.
    var sum: Double
}

extension HubRecords {
    /// The maximum number of rows for single devices in a rollout.
    private static let deviceRowLimit = 2_000_000

    /// Adds the reports of a device to those of its group.
    static func add(_ reports: [RolloutReport], of device: [UInt8], _ project: String, _ db: any SQLTransaction) throws
    {
        var room: [String: Int] = [:]
        for report in reports {
            // A report that waited for its turn may come after the end of the rollout, when the rows of its devices are gone.
            guard try isActive(report.rollout, project, db) else { continue }
            let free = try room[report.rollout] ?? deviceRowLimit - deviceRows(of: report.rollout, project, db)
            room[report.rollout] = try add(report, device, project, free, db)
        }
    }

    private static func isActive(_ rollout: String, _ project: String, _ db: any SQLTransaction) throws -> Bool {
        try db.value(
            Bool.self,
            "SELECT isActive FROM rollout WHERE project = :project AND id = :rollout",
            ["project": project, "rollout": rollout]
        ) ?? false
    }

    /// Removes rows of single devices of rollouts that ended; their sums stay.
    ///
    /// - Returns: Whether there may be more such rows. A call removes some thousands, so that others can write meanwhile.
    func forgetDevicesOfEndedRollouts() async throws -> Bool {
        try await database.write { db in
            try db.change(
                """
                DELETE FROM rolloutOutcomeOfDevice WHERE (project, rollout, metric, deviceGroup, device) IN (
                    SELECT d.project, d.rollout, d.metric, d.deviceGroup, d.device FROM rollout
                    JOIN rolloutOutcomeOfDevice AS d ON d.project = rollout.project AND d.rollout = rollout.id
                    WHERE NOT rollout.isActive LIMIT :count)
                """,
                ["count": Self.forgottenRows]
            ) == Self.forgottenRows
        }
    }

    /// The number of rows that a transaction removes.
    static let forgottenRows = 5000

    private static func deviceRows(of rollout: String, _ project: String, _ db: any SQLTransaction) throws -> Int {
        try db.value(
            Int.self,
            """
            SELECT CAST(coalesce(sum(devices), 0) AS BIGINT) FROM rolloutOutcome
            WHERE project = :project AND rollout = :rollout
            """,
            ["project": project, "rollout": rollout]
        ) ?? 0
    }

    /// Adds a report if there is room for it; returns the remaining room.
    private static func add(
        _ report: RolloutReport,
        _ device: [UInt8],
        _ project: String,
        _ room: Int,
        _ db: any SQLTransaction
    ) throws -> Int {
        let key: Columns = [
            "project": project, "rollout": report.rollout, "metric": report.rolloutGuard?.text ?? "",
            "deviceGroup": report.group.rawValue,
        ]
        let place = "project = :project AND rollout = :rollout AND metric = :metric AND deviceGroup = :deviceGroup"
        let ownKey = key.merging(["device": Data(device)])
        let before = try db.row(
            "SELECT count, sum FROM rolloutOutcomeOfDevice WHERE \(place) AND device = :device",
            ownKey
        ).map { try (count: $0["count"] as Double, sum: $0["sum"] as Double) }
        guard before != nil || room > 0 else { return room }
        let after = (count: (before?.count ?? 0) + report.count, sum: (before?.sum ?? 0) + report.sum)
        var sums = try db.row("SELECT * FROM rolloutOutcome WHERE \(place)", key).map(sums) ?? DeviceSums()
        sums.replace(before, by: after, weightLimit: report.rolloutGuard?.weightLimit ?? 1)
        try db.insert(
            ownKey.merging(["count": after.count, "sum": after.sum]),
            into: "rolloutOutcomeOfDevice",
            """
            ON CONFLICT (project, rollout, metric, deviceGroup, device) DO UPDATE SET
                count = excluded.count, sum = excluded.sum
            """
        )
        try db.insert(
            key.merging([
                "devices": sums.devices, "count": sums.count, "sum": sums.sum, "sumNN": sums.sumNN, "sumXX": sums.sumXX,
                "sumNX": sums.sumNX,
            ]),
            into: "rolloutOutcome",
            """
            ON CONFLICT (project, rollout, metric, deviceGroup) DO UPDATE SET devices = excluded.devices,
                count = excluded.count, sum = excluded.sum, sumNN = excluded.sumNN, sumXX = excluded.sumXX,
                sumNX = excluded.sumNX
            """
        )
        return before == nil ? room - 1 : room
    }

    /// The results that the devices of a rollout reported so far.
    func evidence(of rollout: String, in project: String) async throws -> RolloutEvidence {
        try await database.read { db in
            var evidence = RolloutEvidence()
            let rows = try db.rows(
                "SELECT * FROM rolloutOutcome WHERE project = :project AND rollout = :rollout",
                ["project": project, "rollout": rollout]
            )
            for row in rows {
                let sums = try Self.sums(row)
                let isNew = try row["deviceGroup"] as String == RolloutGroup.new.rawValue
                if let rolloutGuard = RolloutGuard(try row["metric"]) {
                    let path: WritableKeyPath<RolloutEvidence.Groups, DeviceSums> = isNew ? \.new : \.old
                    evidence.groups[rolloutGuard, default: .init()][keyPath: path] = sums
                } else if isNew {
                    evidence.newDevices = sums.devices
                } else {
                    evidence.oldDevices = sums.devices
                }
            }
            return evidence
        }
    }

    private static func sums(_ row: SQLRow) throws -> DeviceSums {
        var sums = DeviceSums()
        sums.devices = try row["devices"]
        (sums.count, sums.sum) = try (row["count"], row["sum"])
        (sums.sumNN, sums.sumXX, sums.sumNX) = try (row["sumNN"], row["sumXX"], row["sumNX"])
        return sums
    }
}

extension HubRecords {
    private static let columns = "training.*, dataSet.name AS dataSetName"
    private static let tables = "training JOIN dataSet ON dataSet.id = training.dataSet"
    private static let open = "training.state IN ('waiting', 'running')"

    /// Adds a training, and gives it an id. Ended ones of the data set beyond ``Training/keptTrainings`` are forgotten.
    ///
    /// - Throws: `.resourceExhausted` if the project has too many open trainings; `.failedPrecondition` if the data set has one.
    func insert(_ training: Training, audit: AuditEntry) async throws -> Training {
        try await database.write(in: training.project) { db in
            let key: Columns = [
                "project": training.project, "dataSet": training.dataSet, "kept": Training.keptTrainings,
            ]
            if let model = try db.value(
                String.self,
                "SELECT model FROM training WHERE dataSet = :dataSet AND \(Self.open)",
                key
            ) {
                throw HubError(
                    .failedPrecondition,
                    "A training on this data set is under way, of \(model); wait for its end, or cancel it."
                )
            }
            let count = try db.value(
                Int.self,
                "SELECT count(*) FROM training WHERE project = :project AND \(Self.open)",
                key
            )
            guard count ?? 0 < Training.maximumOpen else {
                throw HubError(
                    .resourceExhausted,
                    "The project \"\(training.project)\" already has \(Training.maximumOpen) open trainings; wait until they are done, or cancel some."
                )
            }
            try db.change(
                """
                DELETE FROM training WHERE dataSet = :dataSet AND id <= (
                    SELECT id FROM training WHERE dataSet = :dataSet ORDER BY id DESC LIMIT 1 OFFSET :kept)
                """,
                key
            )
            var training = training
            training.id = try db.insertNew(
                [
                    "project": training.project, "dataSet": training.dataSet, "model": training.model,
                    "kind": training.kind.rawValue, "actor": training.actor, "state": training.state.rawValue,
                    "createTime": training.createTime.milliseconds, "attempts": 0,
                ],
                into: "training"
            )
            var entry = audit
            entry.target = training.resourceName
            try Self.log(entry, db)
            return training
        }
    }

    /// The training with an id; nil if there is none.
    func training(_ id: Int64, of project: String) async throws -> Training? {
        try await database.read { db in
            try db.row(
                "SELECT \(Self.columns) FROM \(Self.tables) WHERE training.id = :id AND training.project = :project",
                ["id": id, "project": project]
            ).flatMap(Self.training)
        }
    }

    /// The trainings of a project, newest first.
    ///
    /// - Parameter dataSet: The id of a data set; nil for all.
    func trainings(of project: String, dataSet: Int64? = nil) async throws -> [Training] {
        try await database.read { db in
            try db.rows(
                """
                SELECT \(Self.columns) FROM \(Self.tables)
                WHERE training.project = :project \(dataSet == nil ? "" : "AND training.dataSet = :dataSet")
                ORDER BY training.id DESC LIMIT 200
                """,
                ["project": project, "dataSet": dataSet]
            ).compactMap(Self.training)
        }
    }

    /// The order in which waiting trainings begin: projects take turns, and a project's come in their order.
    private static let turn = """
        coalesce((SELECT max(earlier.startTime) FROM training AS earlier
            WHERE earlier.project = training.project AND earlier.id <> training.id), 0), training.id
        """

    /// The number of trainings that begin before a waiting one.
    func position(ofTraining id: Int64) async throws -> Int? {
        try await database.read { db in
            try db.rows("SELECT id FROM training WHERE state = 'waiting' ORDER BY \(Self.turn)")
                .map { try $0["id"] as Int64 }.firstIndex(of: id)
        }
    }

    /// Takes the next training for a hub: the next that waits, or one whose hub gave no sign of life since a moment.
    ///
    /// - Parameters:
    ///   - worker: The id of the hub.
    ///   - lease: The time for which a sign of life holds; nil if no other hub can have died. One that lies further ahead was given before the clock
    ///     was set back; it counts as one of now, which a hub that is alive soon replaces.
    ///   - time: The present time.
    /// - Returns: The training, which now runs; nil if there is none.
    func beginTraining(as worker: String, lease: Duration?, at time: Timestamp) async throws -> Training? {
        let (moment, latest) = (lease.map { time.advanced(by: .zero - $0) }, lease.map { time.advanced(by: $0) })
        let free = "(state = 'waiting' OR state = 'running' AND coalesce(heartbeat, 0) < :moment)"
        let key: Columns = ["moment": moment?.milliseconds ?? Int64.min, "worker": worker]
        return try await database.write { db in
            if let latest {
                try db.update(
                    "training",
                    set: ["heartbeat": time.milliseconds],
                    where: "state = 'running' AND heartbeat > :latest",
                    ["latest": latest.milliseconds]
                )
            }
            guard
                let id = try db.value(
                    Int64.self,
                    "SELECT id FROM training WHERE \(free) ORDER BY \(Self.turn) LIMIT 1",
                    key
                )
            else { return nil }
            // Another hub may have taken it since.
            let count = try db.change(
                """
                UPDATE training SET state = 'running', worker = :worker, heartbeat = :time, startTime = :time,
                    attempts = attempts + 1, stage = NULL, done = NULL, total = NULL
                WHERE id = :id AND \(free)
                """,
                key.merging(["id": id, "time": time.milliseconds])
            )
            guard count == 1 else { return nil }
            return try db.row("SELECT \(Self.columns) FROM \(Self.tables) WHERE training.id = :id", ["id": id])
                .flatMap(Self.training)
        }
    }

    /// Records that a hub works on a training, and how far it is.
    ///
    /// - Returns: False if the training is no longer that of the hub: it was canceled or deleted, or another hub took it over.
    func keepTraining(
        _ id: Int64,
        as worker: String,
        _ progress: Training.Progress?,
        at time: Timestamp
    ) async throws -> Bool {
        try await database.write { db in
            var columns: Columns = ["heartbeat": time.milliseconds]
            if let progress {
                columns["stage"] = progress.stage.rawValue
                columns["done"] = progress.done
                columns["total"] = progress.total
            }
            return try db.update("training", set: columns, where: Self.own, ["id": id, "worker": worker]) == 1
        }
    }

    private static let own = "id = :id AND worker = :worker AND state = 'running'"

    /// Ends a training of a hub.
    ///
    /// - Parameter doubts: The most doubtful photos, if there is a model.
    /// - Returns: False if the training is no longer that of the hub.
    func endTraining(
        _ training: Training,
        as worker: String,
        doubts: [TrainingOutcome.Doubt]? = nil,
        audit: AuditEntry?
    ) async throws -> Bool {
        try await database.write(in: training.project) { db in
            let columns: Columns = [
                "state": training.state.rawValue, "endTime": training.endTime?.milliseconds,
                "message": training.message, "version": training.version, "evaluation": training.evaluation,
                "card": training.card, "attempts": training.attempts, "stage": String?.none,
            ]
            guard try db.update("training", set: columns, where: Self.own, ["id": training.id, "worker": worker]) == 1
            else { return false }
            if let doubts { try Self.setDoubts(doubts, ofDataSet: training.dataSet, db) }
            if let audit { try Self.log(audit, db) }
            return true
        }
    }

    /// Cancels a training, unless it has ended or its model is being stored.
    ///
    /// - Returns: Whether it is canceled now.
    func cancelTraining(_ training: Training, at time: Timestamp, audit: AuditEntry) async throws -> Bool {
        try await database.write(in: training.project) { db in
            let count = try db.update(
                "training",
                set: ["state": Training.State.cancelled.rawValue, "endTime": time.milliseconds],
                where: "id = :id AND (state = 'waiting' OR state = 'running' AND coalesce(stage, '') <> 'storing')",
                ["id": training.id]
            )
            if count == 1 { try Self.log(audit, db) }
            return count == 1
        }
    }

    /// Lets the trainings wait that ended with their hub. Nothing else may work on them.
    func resumeTrainings() async throws {
        try await database.write { db in
            _ = try db.change("UPDATE training SET state = 'waiting', worker = NULL WHERE state = 'running'")
        }
    }

    private static func training(_ row: SQLRow) throws -> Training? {
        guard let state = Training.State(rawValue: try row["state"]),
            let kind = Training.Kind(rawValue: try row["kind"])
        else { return nil }
        let stage: String? = try row["stage"]
        return try Training(
            id: row["id"],
            project: row["project"],
            dataSet: row["dataSet"],
            dataSetName: row["dataSetName"],
            model: row["model"],
            kind: kind,
            actor: row["actor"],
            state: state,
            createTime: Timestamp(milliseconds: row["createTime"]),
            startTime: (row["startTime"] as Int64?).map { Timestamp(milliseconds: $0) },
            endTime: (row["endTime"] as Int64?).map { Timestamp(milliseconds: $0) },
            attempts: row["attempts"],
            progress: stage.flatMap { Training.Stage(rawValue: $0) }.map {
                try Training.Progress(stage: $0, done: row["done"] ?? 0, total: row["total"] ?? 0)
            },
            message: row["message"],
            version: row["version"],
            evaluation: row["evaluation"],
            card: row["card"]
        )
    }
}

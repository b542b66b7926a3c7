import Foundation
import ModelHubProtocol

/// A stored rollout.
package struct StoredRollout: Sendable, Hashable {
    /// The rollout.
    package var rollout: Rollout
    /// Its comparisons over time.
    package var curve: RolloutCurve
    /// The id of its project.
    var project: String
    /// Grows with each change.
    var revision: Int
}

extension HubRecords {
    /// The maximum number of rollouts of a project. The oldest ones that ended make room for a new one.
    private static let rolloutLimit = 1000

    /// Adds a rollout.
    ///
    /// - Throws: `.failedPrecondition` if the model has an active rollout, or serves another version than the rollout begins with.
    func insert(_ rollout: Rollout, of project: String, audit: AuditEntry) async throws {
        try await database.write(in: project) { db in
            if let active = try Self.activeRollout(of: rollout.model, db) {
                throw HubError(
                    .failedPrecondition,
                    "The rollout \(active) of \(rollout.modelName) is not over; finish or abort it first."
                )
            }
            let served = try db.value(Int.self, "SELECT version FROM model WHERE id = :id", ["id": rollout.model])
            guard served == rollout.oldVersion else {
                throw HubError(.aborted, "The served version of \(rollout.modelName) changed meanwhile; try again.")
            }
            try db.change(
                """
                DELETE FROM rollout WHERE project = :project AND NOT isActive AND id IN (
                    SELECT id FROM rollout WHERE project = :project ORDER BY startTime DESC LIMIT 1000000 OFFSET :kept)
                """,
                ["project": project, "kept": Self.rolloutLimit - 1]
            )
            let row: Columns = [
                "project": project, "id": rollout.id, "model": rollout.model, "newVersion": rollout.newVersion,
                "startTime": rollout.startTime.milliseconds, "revision": 1,
            ]
            try db.insert(row.merging(Self.columns(rollout, RolloutCurve())), into: "rollout")
            try Self.log(audit, db)
        }
    }

    /// Replaces a rollout that did not change meanwhile; false if it did.
    ///
    /// - Parameters:
    ///   - old: The stored rollout.
    ///   - new: The rollout that replaces it.
    ///   - curve: The comparisons over time.
    ///   - served: The model if it serves another version from now on, and its etag before.
    ///   - audit: The entry of the audit log; nil if nothing changed for devices.
    func replace(
        _ old: StoredRollout,
        by new: Rollout,
        _ curve: RolloutCurve,
        serving served: (model: ModelRecord, etag: String)?,
        audit: AuditEntry?
    ) async throws -> Bool {
        try await database.write(in: old.project) { db in
            let count = try db.update(
                "rollout",
                set: Self.columns(new, curve).merging(["revision": old.revision + 1]),
                where: "project = :project AND id = :id AND revision = :replacedRevision",
                ["project": old.project, "id": new.id, "replacedRevision": old.revision]
            )
            guard count == 1 else { return false }
            if let served, try !Self.replace(served.model, replacing: served.etag, db) {
                // Also undoes the change of the rollout.
                throw HubError(.aborted, "The model changed at the same time; try again.")
            }
            if old.rollout.isActive, !new.isActive { try Self.endManifests(of: new, db) }
            if let audit { try Self.log(audit, db) }
            return true
        }
    }

    /// The values that a change replaces.
    private static func columns(_ rollout: Rollout, _ curve: RolloutCurve) throws -> Columns {
        [
            "share": rollout.share, "isActive": rollout.isActive,
            "content": String(decoding: try JSONEncoder().encode(rollout), as: UTF8.self),
            "curve": String(decoding: try JSONEncoder().encode(curve), as: UTF8.self),
        ]
    }

    /// The id of the active rollout of a model.
    static func activeRollout(of model: Int64, _ db: any SQLTransaction) throws -> String? {
        try db.value(String.self, "SELECT id FROM rollout WHERE model = :model AND isActive", ["model": model])
    }

    /// Refuses a model that serves another version than the one to which its rollout would return.
    static func guardRollout(of model: ModelRecord, _ db: any SQLTransaction) throws {
        guard let id = try activeRollout(of: model.id, db),
            try db.value(Int.self, "SELECT version FROM model WHERE id = :id", ["id": model.id]) != model.file?.version
        else { return }
        throw HubError(
            .failedPrecondition,
            "The rollout \(id) decides which version of \(model.displayName) devices get; end it first with "
                + "`sightline hub rollout finish \(model.displayName)` or `… abort \(model.displayName)`."
        )
    }

    /// Removes the manifest of the version that all devices get at the end of a rollout if that of the other version has a higher number:
    /// devices that have the other version would refuse it.
    private static func endManifests(of rollout: Rollout, _ db: any SQLTransaction) throws {
        let (kept, other) =
            rollout.state == .finished
            ? (rollout.newVersion, rollout.oldVersion) : (rollout.oldVersion, rollout.newVersion)
        let hashes = try [kept, other].map { number in
            try db.value(
                String.self,
                "SELECT hash FROM version WHERE model = :model AND number = :number",
                ["model": rollout.model, "number": number]
            )
        }
        guard let to = hashes[0], let from = hashes[1] else { return }
        try removeOlderManifest(of: rollout.model, .production, from: from, to: to, db)
    }

    /// The models of a project that lack the manifest to which devices could return from a rollout.
    func modelsWithUnsignedReturn(of project: String) async throws -> [ModelRecord] {
        let ids = try await database.read { db in
            try db.rows(
                """
                SELECT DISTINCT model.id AS id FROM model
                JOIN rollout ON rollout.model = model.id
                JOIN manifest ON manifest.model = model.id AND manifest.alias = :alias
                WHERE model.project = :project AND NOT rollout.isActive AND NOT EXISTS (
                    SELECT 1 FROM manifest AS own
                    WHERE own.model = model.id AND own.alias = :alias AND own.hash = model.hash)
                """,
                ["project": project, "alias": ModelAlias.production.rawValue]
            ).map { try $0["id"] as Int64 }
        }
        var models: [ModelRecord] = []
        for id in ids { if let model = try await model(id, of: project) { models.append(model) } }
        return models
    }

    /// The version that an active rollout of a model brings to devices; nil without one.
    func rolledOutVersion(of model: Int64) async throws -> Int? {
        try await database.read { db in
            try db.value(Int.self, "SELECT newVersion FROM rollout WHERE model = :model AND isActive", ["model": model])
        }
    }

    /// The rollouts of a project, newest first.
    func rollouts(of project: String, limit: Int) async throws -> [Rollout] {
        try await database.read { db in
            try db.rows(
                "SELECT id, content FROM rollout WHERE project = :project ORDER BY startTime DESC, id LIMIT :limit",
                ["project": project, "limit": limit]
            ).map(Self.rollout)
        }
    }

    /// The active rollouts of all projects, each as far as it can be read.
    func activeRollouts() async throws -> [(id: String, stored: Result<StoredRollout, any Error>)] {
        try await database.read { db in
            try db.rows("SELECT * FROM rollout WHERE isActive ORDER BY startTime, id").map { row in
                (try row["id"], Result { try Self.stored(row) })
            }
        }
    }

    /// The rollout with an id.
    func rollout(_ id: String, of project: String) async throws -> Rollout? {
        try await database.read { db in
            try db.row(
                "SELECT id, content FROM rollout WHERE project = :project AND id = :id",
                ["project": project, "id": id]
            ).map(Self.rollout)
        }
    }

    /// The rollout with an id, or the newest rollout of the model with a name.
    func rollout(withIDOrOfModel name: String, in project: String) async throws -> StoredRollout? {
        try await database.read { db in
            try db.row(
                """
                SELECT rollout.* FROM rollout JOIN model ON model.id = rollout.model
                WHERE rollout.project = :project AND (rollout.id = :name OR model.displayName = :name)
                ORDER BY CASE WHEN rollout.id = :name THEN 0 ELSE 1 END, rollout.startTime DESC, rollout.id DESC LIMIT 1
                """,
                ["project": project, "name": name]
            ).map(Self.stored)
        }
    }

    private static func rollout(_ row: SQLRow) throws -> Rollout { try decoded(Rollout.self, try row["content"], row) }

    private static func stored(_ row: SQLRow) throws -> StoredRollout {
        try StoredRollout(
            rollout: rollout(row),
            curve: decoded(RolloutCurve.self, row["curve"], row),
            project: row["project"],
            revision: row["revision"]
        )
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, _ text: String, _ row: SQLRow) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            let id = (try? row["id"] as String) ?? "of a model"
            var failure = HubError(
                .dataLoss,
                "The record of the rollout \(id) cannot be read by this version of the hub; run the version that started it, or restore the "
                    + "database from a backup."
            )
            failure.cause = "\(error)"
            throw failure
        }
    }
}

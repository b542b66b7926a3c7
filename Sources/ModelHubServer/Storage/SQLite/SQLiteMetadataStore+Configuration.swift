import Foundation
import GRDB

extension SQLiteMetadataStore {
    func template(
        _ version: Int64?,
        in namespace: ConfigNamespace,
        of project: String
    ) async throws -> StoredTemplate? {
        try await pool.read { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT * FROM configTemplate WHERE project = ? AND namespace = ? AND version = coalesce(?, version)
                    ORDER BY version DESC LIMIT 1
                    """,
                arguments: [project, namespace.rawValue, version]
            ).map { row in
                StoredTemplate(version: Self.templateVersion(row), etag: row["etag"], json: row["template"])
            }
        }
    }

    func templateVersions(
        in namespace: ConfigNamespace,
        of project: String,
        before version: Int64?,
        limit: Int
    ) async throws -> [TemplateVersion] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT version, updateTime, updateUser, updateOrigin, updateType, description, rollbackSource
                    FROM configTemplate WHERE project = ? AND namespace = ? AND version < ? ORDER BY version DESC LIMIT ?
                    """,
                arguments: [project, namespace.rawValue, version ?? Int64.max, limit]
            ).map(Self.templateVersion)
        }
    }

    func insert(_ draft: TemplateDraft, experiment: Experiment?, audit: AuditEntry) async throws -> StoredTemplate {
        let variants = try experiment.map { String(decoding: try JSONEncoder().encode($0.variants), as: UTF8.self) }
        return try await pool.write { db in
            let current = try Row.fetchOne(
                db,
                sql: """
                    SELECT version, etag FROM configTemplate WHERE project = ? AND namespace = ?
                    ORDER BY version DESC LIMIT 1
                    """,
                arguments: [draft.project.id, draft.namespace.rawValue]
            )
            let known: String? = current?["etag"]
            let etag = known ?? draft.project.firstTemplateEtag
            guard draft.replaces == etag else { throw HubError.stale(draft.replaces, current: etag) }
            var stored = StoredTemplate(version: draft.version, etag: "", json: draft.json)
            let number: Int64? = current?["version"]
            stored.version.number = (number ?? 0) + 1
            stored.etag = draft.project.templateEtag(stored.version.number)
            try Self.insert(stored, draft, db)
            if let experiment, let variants {
                try Self.put(experiment, variants, of: draft.project.id, db)
            }
            var audit = audit
            audit.detail = "version \(stored.version.number)\(audit.detail.isEmpty ? "" : ", \(audit.detail)")"
            try Self.log(audit, db)
            return stored
        }
    }

    private static func insert(_ stored: StoredTemplate, _ draft: TemplateDraft, _ db: Database) throws {
        let version = stored.version
        try db.execute(
            sql: """
                INSERT INTO configTemplate (project, namespace, version, etag, updateTime, updateUser, updateOrigin,
                    updateType, description, rollbackSource, template, byteCount)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                draft.project.id, draft.namespace.rawValue, version.number, stored.etag,
                version.updateTime.milliseconds, version.updateUser, version.updateOrigin, version.updateType,
                version.description, version.rollbackSource, stored.json, stored.json.utf8.count,
            ]
        )
        // The sums run from the newest version to the oldest.
        try db.execute(
            sql: """
                DELETE FROM configTemplate WHERE rowid IN (
                    SELECT id FROM (
                        SELECT rowid AS id, version, sum(byteCount) OVER (ORDER BY version DESC) AS total
                        FROM configTemplate WHERE project = ? AND namespace = ?)
                    WHERE version <= ? OR total > ? AND version < ?)
                """,
            arguments: [
                draft.project.id, draft.namespace.rawValue, version.number - TemplateVersion.limit,
                TemplateVersion.byteLimit, version.number,
            ]
        )
    }

    private static func put(_ experiment: Experiment, _ variants: String, of project: String, _ db: Database) throws {
        let others = try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM experiment WHERE project = ? AND id <> ?",
            arguments: [project, experiment.id]
        )
        guard others ?? 0 < Experiment.limit else {
            throw HubError(
                .failedPrecondition,
                "The project \"\(project)\" already has the maximum of \(Experiment.limit) experiments; use another project for new experiments."
            )
        }
        try db.execute(
            sql: """
                INSERT INTO experiment (project, id, parameter, condition, variants, exposurePercent, startTime, stopTime, winner)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (project, id) DO UPDATE SET exposurePercent = excluded.exposurePercent,
                    stopTime = excluded.stopTime, winner = excluded.winner
                """,
            arguments: [
                project, experiment.id, experiment.parameter, experiment.condition, variants,
                experiment.exposurePercent, experiment.startTime.milliseconds, experiment.stopTime?.milliseconds,
                experiment.winner,
            ]
        )
    }

    private static func templateVersion(_ row: Row) -> TemplateVersion {
        TemplateVersion(
            number: row["version"],
            updateTime: Timestamp(milliseconds: row["updateTime"]),
            updateUser: row["updateUser"],
            updateOrigin: row["updateOrigin"],
            updateType: row["updateType"],
            description: row["description"],
            rollbackSource: row["rollbackSource"]
        )
    }

    /// Runs on the caller's thread and without a transaction, as for downloads: it is a single statement that uses
    /// three indexes.
    func configuration(apiKeyHash: [UInt8]) async throws -> (project: Project, etag: String?)? {
        try configuration(of: apiKeyHash)
    }

    private func configuration(of apiKeyHash: [UInt8]) throws -> (project: Project, etag: String?)? {
        try lookups.unsafeRead { db in
            let statement = try db.cachedStatement(sql: Self.configurationLookUp)
            return try Row.fetchOne(statement, arguments: [Data(apiKeyHash)]).map { row in
                (Self.project(row), row["templateEtag"] as String?)
            }
        }
    }

    private static let configurationLookUp = """
        SELECT project.*, (
            SELECT etag FROM configTemplate WHERE project = credential.project AND namespace = 'firebase'
            ORDER BY version DESC LIMIT 1) AS templateEtag
        FROM credential JOIN project ON project.id = credential.project
        WHERE credential.secretHash = ? AND credential.kind = 'api-key' AND credential.revokeTime IS NULL
        """

    func experiments(of project: String) async throws -> [Experiment] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM experiment WHERE project = ? ORDER BY startTime DESC, id",
                arguments: [project]
            ).map(Self.experiment)
        }
    }

    func runningExperiments(of project: String) async throws -> [Experiment] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM experiment WHERE project = ? AND stopTime IS NULL ORDER BY startTime DESC, id",
                arguments: [project]
            ).map(Self.experiment)
        }
    }

    func experiment(_ id: String, of project: String) async throws -> Experiment? {
        try await pool.read { db in
            try Row.fetchOne(
                db,
                sql: "SELECT * FROM experiment WHERE project = ? AND id = ?",
                arguments: [project, id]
            ).map(Self.experiment)
        }
    }

    private static func experiment(_ row: Row) throws -> Experiment {
        Experiment(
            id: row["id"],
            parameter: row["parameter"],
            condition: row["condition"],
            variants: try JSONDecoder().decode([Experiment.Variant].self, from: Data((row["variants"] as String).utf8)),
            exposurePercent: row["exposurePercent"],
            startTime: Timestamp(milliseconds: row["startTime"]),
            stopTime: (row["stopTime"] as Int64?).map { Timestamp(milliseconds: $0) },
            winner: row["winner"]
        )
    }
}

extension Project {
    /// The etag before the first template of a project.
    var firstTemplateEtag: String { "etag-\(number)-0" }

    /// The etag of a new version, with digits as Google's clients expect.
    ///
    /// Random digits precede the version's number, so that a version never has the etag of another version that a
    /// restored backup does not contain.
    func templateEtag(_ version: Int64) -> String {
        "etag-\(number)-\(Int64.random(in: 1_000_000_000...9_999_999_999))\(version)"
    }

    /// The etag of a template that was only checked.
    var checkedTemplateEtag: String { firstTemplateEtag }
}

extension HubError {
    /// The error if another client published a template meanwhile.
    static func stale(_ given: String, current: String) -> HubError {
        HubError(
            .failedPrecondition,
            "The template changed meanwhile (VERSION_MISMATCH: If-Match is \(given.prefix(100)), but the newest version has "
                + "\(current)); get the newest version, apply the change to it, and publish it again.",
            httpStatus: 412
        )
    }
}

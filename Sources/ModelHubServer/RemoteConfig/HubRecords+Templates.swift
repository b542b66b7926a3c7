import Foundation

extension HubRecords {
    /// A version of a template, by default the newest; nil if it does not exist.
    func template(
        _ version: Int64?,
        in namespace: ConfigNamespace,
        of project: String
    ) async throws -> StoredTemplate? {
        try await database.read { db in
            try db.row(
                """
                SELECT * FROM configTemplate
                WHERE project = :project AND namespace = :namespace \(version == nil ? "" : "AND version = :version")
                ORDER BY version DESC LIMIT 1
                """,
                ["project": project, "namespace": namespace.rawValue, "version": version]
            ).map { row in
                try StoredTemplate(version: Self.templateVersion(row), etag: row["etag"], json: row["template"])
            }
        }
    }

    /// The versions before another version, or all versions, newest first.
    func templateVersions(
        in namespace: ConfigNamespace,
        of project: String,
        before version: Int64?,
        limit: Int
    ) async throws -> [TemplateVersion] {
        try await database.read { db in
            try db.rows(
                """
                SELECT version, updateTime, updateUser, updateOrigin, updateType, description, rollbackSource
                FROM configTemplate WHERE project = :project AND namespace = :namespace AND version < :version
                ORDER BY version DESC LIMIT :limit
                """,
                [
                    "project": project,
                    "namespace": namespace.rawValue,
                    "version": version ?? Int64.max,
                    "limit": limit,
                ]
            ).map(Self.templateVersion)
        }
    }

    /// Adds a version and assigns its number; stores an experiment that starts, changes or stops with it.
    ///
    /// Removes old versions beyond ``TemplateVersion/limit`` and ``TemplateVersion/byteLimit``. Throws
    /// `.failedPrecondition` if the newest version does not have the etag that the draft replaces.
    func insert(_ draft: TemplateDraft, experiment: Experiment?, audit: AuditEntry) async throws -> StoredTemplate {
        try await database.write(in: draft.project.id) { db in
            let current = try db.row(
                """
                SELECT version, etag FROM configTemplate WHERE project = :project AND namespace = :namespace
                ORDER BY version DESC LIMIT 1
                """,
                ["project": draft.project.id, "namespace": draft.namespace.rawValue]
            )
            let known: String? = try current?["etag"]
            let etag = known ?? draft.project.firstTemplateEtag
            guard draft.replaces == etag else { throw HubError.stale(draft.replaces, current: etag) }
            var stored = StoredTemplate(version: draft.version, etag: "", json: draft.json)
            let number: Int64? = try current?["version"]
            stored.version.number = (number ?? 0) + 1
            stored.etag = draft.project.templateEtag(stored.version.number)
            try Self.insert(stored, draft, db)
            if let experiment { try Self.put(experiment, of: draft.project.id, db) }
            var audit = audit
            audit.detail = "version \(stored.version.number)\(audit.detail.isEmpty ? "" : ", \(audit.detail)")"
            try Self.log(audit, db)
            return stored
        }
    }

    private static func insert(_ stored: StoredTemplate, _ draft: TemplateDraft, _ db: any SQLTransaction) throws {
        let version = stored.version
        try db.insert(
            [
                "project": draft.project.id,
                "namespace": draft.namespace.rawValue,
                "version": version.number,
                "etag": stored.etag,
                "updateTime": version.updateTime.milliseconds,
                "updateUser": version.updateUser,
                "updateOrigin": version.updateOrigin,
                "updateType": version.updateType,
                "description": version.description,
                "rollbackSource": version.rollbackSource,
                "template": stored.json,
                "byteCount": stored.json.utf8.count,
            ],
            into: "configTemplate"
        )
        // The sums run from the newest version to the oldest.
        try db.change(
            """
            DELETE FROM configTemplate WHERE project = :project AND namespace = :namespace AND version IN (
                SELECT version FROM (
                    SELECT version, sum(byteCount) OVER (ORDER BY version DESC) AS total
                    FROM configTemplate WHERE project = :project AND namespace = :namespace) AS running
                WHERE version <= :last OR total > :byteLimit AND version < :newest)
            """,
            [
                "project": draft.project.id,
                "namespace": draft.namespace.rawValue,
                "last": version.number - TemplateVersion.limit,
                "byteLimit": TemplateVersion.byteLimit,
                "newest": version.number,
            ]
        )
    }

    private static func templateVersion(_ row: SQLRow) throws -> TemplateVersion {
        try TemplateVersion(
            number: row["version"],
            updateTime: Timestamp(milliseconds: row["updateTime"]),
            updateUser: row["updateUser"],
            updateOrigin: row["updateOrigin"],
            updateType: row["updateType"],
            description: row["description"],
            rollbackSource: row["rollbackSource"]
        )
    }

    /// The numbers of the newest client templates of projects, 0 without a template; a project that does not exist has none.
    func newestTemplateVersions(of projects: Set<String>) async throws -> [String: Int64] {
        try await database.read { db in
            try projects.reduce(into: [:]) { versions, project in
                versions[project] = try db.value(
                    Int64.self,
                    """
                    SELECT coalesce((SELECT max(version) FROM configTemplate WHERE project = :project AND namespace = 'firebase'), 0)
                    FROM project WHERE id = :project
                    """,
                    ["project": project]
                )
            }
        }
    }

    /// The project of an API key and the etag of its client template, in a single look-up for a fetch. Nil if the
    /// secret is not an API key, or if the key was revoked.
    func configuration(apiKeyHash: [UInt8]) async throws -> AppConfiguration? {
        try await lookUps.configurations.value(for: apiKeyHash, of: { $0.project.id }) {
            try await configuration(ofKey: apiKeyHash)
        }
    }

    private func configuration(ofKey apiKeyHash: [UInt8]) async throws -> AppConfiguration? {
        try await database.lookUp { db in
            try db.row(Self.configurationLookUp, ["keyHash": Data(apiKeyHash)]).map { row in
                try AppConfiguration(
                    project: Self.project(row),
                    etag: row["templateEtag"],
                    key: Self.credentialState(row)
                )
            }
        }
    }

    /// A single statement that uses three indexes.
    private static let configurationLookUp = """
        SELECT project.*, (
            SELECT etag FROM configTemplate WHERE project = credential.project AND namespace = 'firebase'
            ORDER BY version DESC LIMIT 1) AS templateEtag,
            credential.id AS keyID, credential.expiry AS keyExpiry, credential.useTime AS keyUseTime
        FROM credential JOIN project ON project.id = credential.project
        WHERE credential.secretHash = :keyHash AND credential.kind = 'api-key' AND credential.revokeTime IS NULL
        """
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
        var error = HubError(
            .failedPrecondition,
            "The template changed meanwhile (If-Match is \(given.prefix(100)), but the newest version has \(current)); get the newest "
                + "version, apply the change to it, and publish it again.",
            httpStatus: 412
        )
        error.configCode = "VERSION_MISMATCH"
        return error
    }
}

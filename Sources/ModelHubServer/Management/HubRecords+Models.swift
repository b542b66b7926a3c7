import Foundation
import ModelHubProtocol

extension HubError {
    /// The refusal to delete a model that a running experiment gives apps.
    static func gives(_ model: ModelRecord, experiment: Experiment) -> HubError {
        HubError(
            .failedPrecondition,
            "The experiment \(experiment.id) gives apps \(model.displayName); stop it with "
                + "`sightline hub experiment stop \(experiment.id)`, then delete the model."
        )
    }
}

extension HubRecords {
    /// Adds a model, assigns an id and adds its first version, if any. Throws `.alreadyExists` if its name is taken.
    ///
    /// The file of a version must be stored: this throws `.aborted` if the records have no such file, or is about
    /// to remove it, and `.resourceExhausted` if the project's quota has no room for the version.
    func insert(_ model: ModelRecord, version: ModelVersion?, audit: AuditEntry) async throws -> ModelRecord {
        try await database.write { db in
            var model = model
            try Self.guardName(model, db)
            model.id = try db.insertNew(Self.columns(model).merging(["project": model.project]), into: "model")
            try Self.insertTags(model, db)
            if let version { try Self.insert(version, of: model, db) }
            var audit = audit
            audit.target = model.resourceName
            try Self.log(audit, db)
            return model
        }
    }

    /// Replaces a model that still has an etag, and adds a version, if any; false if it changed meanwhile. If the model
    /// already has a version with that number, only its threshold and its notes are replaced.
    ///
    /// Throws the same errors as ``insert(_:version:audit:)``.
    func update(
        _ model: ModelRecord,
        replacing etag: String,
        version: ModelVersion?,
        audit: AuditEntry
    ) async throws -> Bool {
        try await database.write { db in
            guard try Self.replace(model, replacing: etag, db) else { return false }
            if let version { try Self.insert(version, of: model, db) }
            try Self.log(audit, db)
            return true
        }
    }

    /// Replaces a model that still has an etag; false if it changed meanwhile.
    ///
    /// - Throws: `.alreadyExists` if its new name is taken; `.failedPrecondition` if it would serve another version during a rollout.
    static func replace(_ model: ModelRecord, replacing etag: String, _ db: any SQLTransaction) throws -> Bool {
        try guardName(model, db)
        try guardRollout(of: model, db)
        let count = try db.update(
            "model",
            set: columns(model),
            where: "id = :id AND project = :project AND etag = :replacedEtag",
            ["id": model.id, "project": model.project, "replacedEtag": etag]
        )
        guard count == 1 else { return false }
        try db.change("DELETE FROM tag WHERE model = :model", ["model": model.id])
        try insertTags(model, db)
        return true
    }

    /// The values that a change replaces.
    private static func columns(_ model: ModelRecord) throws -> Columns {
        let (uri, autoML): (String?, String?) =
            switch model.source {
            case .object(let uri): (uri, nil)
            case .autoML(let name): (nil, name)
            case nil: (nil, nil)
            }
        return [
            "displayName": model.displayName,
            "tags": String(decoding: try JSONEncoder().encode(model.tags), as: UTF8.self),
            "createTime": model.createTime.milliseconds,
            "updateTime": model.updateTime.milliseconds,
            "etag": model.etag,
            "isPublished": model.isPublished,
            "objectURI": uri,
            "autoML": autoML,
            "errorCode": model.validationError?.code,
            "errorMessage": model.validationError?.message,
            "version": model.file?.version,
            "hash": model.file?.hash.text,
            "size": model.file?.byteCount,
            "confidenceThreshold": model.file?.confidenceThreshold,
            "warning": model.file?.warning,
            "aliases": String(decoding: try JSONEncoder().encode(model.aliases), as: UTF8.self),
            "card": String(decoding: try JSONEncoder().encode(model.card), as: UTF8.self),
        ]
    }

    private static func guardName(_ model: ModelRecord, _ db: any SQLTransaction) throws {
        let holder = try db.value(
            Int64.self,
            "SELECT id FROM model WHERE project = :project AND displayName = :name",
            ["project": model.project, "name": model.displayName]
        )
        guard holder == nil || holder == model.id else {
            throw HubError(.alreadyExists, "Model '\(model.displayName)' already exists")
        }
    }

    private static func insertTags(_ model: ModelRecord, _ db: any SQLTransaction) throws {
        for tag in Set(model.tags) {
            try db.insert(["project": model.project, "tag": tag, "model": model.id], into: "tag")
        }
    }

    /// Inserts a version, or replaces the threshold and the notes of the version with its number.
    private static func insert(_ version: ModelVersion, of model: ModelRecord, _ db: any SQLTransaction) throws {
        try requireStored(version.hash, db)
        try db.insert(
            [
                "model": model.id,
                "number": version.number,
                "hash": version.hash.text,
                "size": version.byteCount,
                "createTime": version.createTime.milliseconds,
                "actor": version.actor,
                "source": version.source,
                "inspection": version.inspection,
                "warning": version.warning,
                "confidenceThreshold": version.confidenceThreshold,
                "notes": version.notes,
            ],
            into: "version",
            """
            ON CONFLICT (model, number) DO UPDATE SET
                confidenceThreshold = excluded.confidenceThreshold, notes = excluded.notes
            """
        )
        try forgetInspections(of: model, before: version.number, db)
        try checkQuota(of: model.project, db)
    }

    /// Removes the inspections of old versions that clients cannot ask for.
    private static func forgetInspections(
        of model: ModelRecord,
        before number: Int,
        _ db: any SQLTransaction
    ) throws {
        let old = try db.rows(
            "SELECT number FROM version WHERE model = :model AND number <= :last AND inspection <> 'null'",
            ["model": model.id, "last": number - ModelVersion.inspectionLimit]
        ).map { try $0["number"] as Int }
        for number in old where !model.namedVersions.contains(number) {
            try db.update(
                "version",
                set: ["inspection": "null"],
                where: "model = :model AND number = :number",
                ["model": model.id, "number": number]
            )
        }
    }

    /// Removes a model and its versions; false if the model does not exist.
    ///
    /// - Throws: `.failedPrecondition` if an active rollout or a running experiment gives apps the model.
    func deleteModel(
        _ id: Int64,
        of project: String,
        at time: Timestamp,
        audit: AuditEntry
    ) async throws -> Bool {
        try await database.write(in: project) { db in
            let key: Columns = ["id": id, "project": project]
            let row = try db.row("SELECT * FROM model WHERE id = :id AND project = :project", key)
            guard let model = try row.flatMap(Self.model) else { return false }
            if let refusal = try Self.deletionRefusal(of: model, db) { throw refusal }
            try Self.release(db, at: time, "SELECT hash FROM version WHERE model = :id", ["id": id])
            try db.change("DELETE FROM model WHERE id = :id", ["id": id])
            try Self.log(audit, db)
            return true
        }
    }

    /// The reason why a model cannot be deleted now, with the next step; nil if there is none.
    func deletionRefusal(of model: ModelRecord) async throws -> HubError? {
        try await database.read { db in try Self.deletionRefusal(of: model, db) }
    }

    private static func deletionRefusal(of model: ModelRecord, _ db: any SQLTransaction) throws -> HubError? {
        if let rollout = try activeRollout(of: model.id, db) {
            return HubError(
                .failedPrecondition,
                "The rollout \(rollout) gives devices \(model.displayName); end it with "
                    + "`sightline hub rollout finish \(rollout)` or `… abort \(rollout)`, then delete the model."
            )
        }
        let experiment = try runningExperiments(of: model.project, db).first { experiment in
            experiment.variants.contains { $0.value == model.displayName }
        }
        return experiment.map { .gives(model, experiment: $0) }
    }

    /// The model with the given id.
    func model(_ id: Int64, of project: String) async throws -> ModelRecord? {
        try await database.read { db in
            try db.row("SELECT * FROM model WHERE id = :id AND project = :project", ["id": id, "project": project])
                .flatMap(Self.model)
        }
    }

    /// The model with the given display name.
    func model(named name: String, of project: String) async throws -> ModelRecord? {
        try await database.read { db in
            try db.row(
                "SELECT * FROM model WHERE displayName = :name AND project = :project",
                ["name": name, "project": project]
            ).flatMap(Self.model)
        }
    }

    /// The models that match a filter, by id, after an id.
    func models(
        of project: String,
        where filter: ModelFilter?,
        after id: Int64,
        limit: Int
    ) async throws -> [ModelRecord] {
        try await database.read { db in
            var condition = ModelCondition(project: project)
            let text = filter.map { condition.sql(of: $0) } ?? "TRUE"
            // Clients write filters.
            return try db.rows(
                "SELECT * FROM model WHERE project = :project AND id > :after AND (\(text)) ORDER BY id LIMIT :limit",
                condition.parameters.merging(["after": id, "limit": limit]),
                isReused: false
            ).compactMap(Self.model)
        }
    }

    /// The versions of a model, oldest first.
    func versions(of model: Int64) async throws -> [ModelVersion] {
        try await database.read { db in
            try db.rows("SELECT * FROM version WHERE model = :model ORDER BY number", ["model": model])
                .compactMap(Self.version)
        }
    }

    /// The versions of a model before another version, or all versions, newest first.
    func versions(of model: Int64, before number: Int?, limit: Int) async throws -> [ModelVersion] {
        try await database.read { db in
            try db.rows(
                "SELECT * FROM version WHERE model = :model AND number < :number ORDER BY number DESC LIMIT :limit",
                ["model": model, "number": number ?? .max, "limit": limit]
            ).compactMap(Self.version)
        }
    }

    /// A version of a model.
    func version(_ number: Int, of model: Int64) async throws -> ModelVersion? {
        try await database.read { db in
            try db.row(
                "SELECT * FROM version WHERE model = :model AND number = :number",
                ["model": model, "number": number]
            ).flatMap(Self.version)
        }
    }

    private static func version(_ row: SQLRow) throws -> ModelVersion? {
        guard let hash = BlobHash(try row["hash"] as String) else { return nil }
        return try ModelVersion(
            number: row["number"],
            hash: hash,
            byteCount: row["size"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            actor: row["actor"],
            source: row["source"],
            inspection: row["inspection"],
            warning: row["warning"],
            confidenceThreshold: row["confidenceThreshold"],
            notes: row["notes"]
        )
    }

    /// The stored aliases of a model.
    static func aliases(_ text: String) -> [ModelAlias: Int] {
        text == "{}" ? [:] : (try? JSONDecoder().decode([ModelAlias: Int].self, from: Data(text.utf8))) ?? [:]
    }

    /// The stored card of a model.
    private static func card(_ text: String) -> ModelCard {
        text == "{}" ? ModelCard() : (try? JSONDecoder().decode(ModelCard.self, from: Data(text.utf8))) ?? ModelCard()
    }

    static func model(_ row: SQLRow) throws -> ModelRecord? {
        let tagText: String = try row["tags"]
        let tags = tagText == "[]" ? [] : try? JSONDecoder().decode([String].self, from: Data(tagText.utf8))
        let (uri, autoML): (String?, String?) = try (row["objectURI"], row["autoML"])
        let (code, message): (Int?, String?) = try (row["errorCode"], row["errorMessage"])
        let (version, hash, size): (Int?, String?, Int?) = try (row["version"], row["hash"], row["size"])
        return try ModelRecord(
            id: row["id"],
            project: row["project"],
            displayName: row["displayName"],
            tags: tags ?? [],
            createTime: Timestamp(milliseconds: row["createTime"]),
            updateTime: Timestamp(milliseconds: row["updateTime"]),
            etag: row["etag"],
            isPublished: row["isPublished"],
            source: uri.map { .object(uri: $0) } ?? autoML.map { .autoML(name: $0) },
            validationError: code.flatMap { code in message.map { .init(code: code, message: $0) } },
            file: version.flatMap { version in
                try hash.flatMap { BlobHash($0) }.flatMap { hash in
                    try size.map {
                        try .init(
                            version: version,
                            hash: hash,
                            byteCount: $0,
                            warning: row["warning"],
                            confidenceThreshold: row["confidenceThreshold"]
                        )
                    }
                }
            },
            aliases: aliases(row["aliases"]),
            card: card(row["card"])
        )
    }
}

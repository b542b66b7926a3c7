import Foundation
import GRDB

extension SQLiteMetadataStore {
    func insert(
        _ model: ModelRecord,
        version: ModelVersion?,
        audit: AuditEntry,
        contains: @escaping @Sendable (BlobHash) -> Bool
    ) async throws -> ModelRecord {
        try await pool.write { db in
            var model = model
            try Self.guardName(model, db)
            try db.execute(
                sql: """
                    INSERT INTO model (project, displayName, tags, createTime, updateTime, etag, isPublished, objectURI,
                        autoML, errorCode, errorMessage, version, hash, size, confidenceThreshold, warning)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: StatementArguments(
                    [model.project, model.displayName] as [(any DatabaseValueConvertible)?]
                ) + Self.columns(model)
            )
            model.id = db.lastInsertedRowID
            try Self.insertTags(model, db)
            if let version { try Self.insert(version, of: model.id, contains, db) }
            var audit = audit
            audit.target = model.resourceName
            try Self.log(audit, db)
            return model
        }
    }

    func update(
        _ model: ModelRecord,
        replacing etag: String,
        version: ModelVersion?,
        audit: AuditEntry,
        contains: @escaping @Sendable (BlobHash) -> Bool
    ) async throws -> Bool {
        try await pool.write { db in
            try Self.guardName(model, db)
            try db.execute(
                sql: """
                    UPDATE model SET displayName = ?, tags = ?, createTime = ?, updateTime = ?, etag = ?,
                        isPublished = ?, objectURI = ?, autoML = ?, errorCode = ?, errorMessage = ?, version = ?,
                        hash = ?, size = ?, confidenceThreshold = ?, warning = ?
                    WHERE id = ? AND project = ? AND etag = ?
                    """,
                arguments: StatementArguments([model.displayName]) + Self.columns(model)
                    + StatementArguments([model.id, model.project, etag] as [(any DatabaseValueConvertible)?])
            )
            guard db.changesCount == 1 else { return false }
            try db.execute(sql: "DELETE FROM tag WHERE model = ?", arguments: [model.id])
            try Self.insertTags(model, db)
            if let version { try Self.insert(version, of: model.id, contains, db) }
            try Self.log(audit, db)
            return true
        }
    }

    /// The values of an insertion or update, starting with `tags`.
    private static func columns(_ model: ModelRecord) throws -> StatementArguments {
        let (uri, autoML): (String?, String?) =
            switch model.source {
            case .object(let uri): (uri, nil)
            case .autoML(let name): (nil, name)
            case nil: (nil, nil)
            }
        let values: [(any DatabaseValueConvertible)?] = [
            String(decoding: try JSONEncoder().encode(model.tags), as: UTF8.self), model.createTime.milliseconds,
            model.updateTime.milliseconds, model.etag, model.isPublished, uri, autoML, model.validationError?.code,
            model.validationError?.message, model.file?.version, model.file?.hash.text, model.file?.byteCount,
            model.confidenceThreshold, model.file?.warning,
        ]
        return StatementArguments(values)
    }

    private static func guardName(_ model: ModelRecord, _ db: Database) throws {
        let holder = try Int64.fetchOne(
            db,
            sql: "SELECT id FROM model WHERE project = ? AND displayName = ?",
            arguments: [model.project, model.displayName]
        )
        guard holder == nil || holder == model.id else {
            throw HubError(.alreadyExists, "Model '\(model.displayName)' already exists")
        }
    }

    private static func insertTags(_ model: ModelRecord, _ db: Database) throws {
        for tag in Set(model.tags) {
            try db.execute(
                sql: "INSERT INTO tag (project, tag, model) VALUES (?, ?, ?)",
                arguments: [model.project, tag, model.id]
            )
        }
    }

    private static func insert(
        _ version: ModelVersion,
        of model: Int64,
        _ contains: (BlobHash) -> Bool,
        _ db: Database
    ) throws {
        guard contains(version.hash) else {
            throw HubError(.aborted, "The model's file was removed meanwhile; upload it again.")
        }
        try db.execute(
            sql: """
                INSERT INTO version (model, number, hash, size, createTime, source, inspection, warning)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                model, version.number, version.hash.text, version.byteCount, version.createTime.milliseconds,
                version.source, version.inspection, version.warning,
            ]
        )
        try db.execute(
            sql: "UPDATE version SET inspection = 'null' WHERE model = ? AND number <= ? AND inspection <> 'null'",
            arguments: [model, version.number - ModelVersion.inspectionLimit]
        )
        if let project = try String.fetchOne(db, sql: "SELECT project FROM model WHERE id = ?", arguments: [model]) {
            try checkQuota(of: project, db)
        }
    }

    func deleteModel(
        _ id: Int64,
        of project: String,
        at time: Timestamp,
        audit: AuditEntry
    ) async throws -> Bool {
        try await pool.write { db in
            let exists = try Int64.fetchOne(
                db,
                sql: "SELECT id FROM model WHERE id = ? AND project = ?",
                arguments: [id, project]
            )
            guard exists != nil else { return false }
            try Self.release(db, time: time, "SELECT hash FROM version WHERE model = ?", [id])
            try db.execute(sql: "DELETE FROM model WHERE id = ?", arguments: [id])
            try Self.log(audit, db)
            return true
        }
    }

    func model(_ id: Int64, of project: String) async throws -> ModelRecord? {
        try await pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM model WHERE id = ? AND project = ?")
            return try Row.fetchOne(statement, arguments: [id, project]).flatMap(Self.model)
        }
    }

    func model(named name: String, of project: String) async throws -> ModelRecord? {
        try await pool.read { db in try Self.model(named: name, of: project, db) }
    }

    static func model(named name: String, of project: String, _ db: Database) throws -> ModelRecord? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM model WHERE displayName = ? AND project = ?")
        return try Row.fetchOne(statement, arguments: [name, project]).flatMap(Self.model)
    }

    func models(
        of project: String,
        where filter: ModelFilter?,
        after id: Int64,
        limit: Int
    ) async throws -> [ModelRecord] {
        try await pool.read { db in
            var condition = SQLCondition(project: project)
            let text = filter.map { condition.sql(of: $0) } ?? "1"
            return try Row.fetchAll(
                db,
                sql: "SELECT * FROM model WHERE project = ? AND id > ? AND (\(text)) ORDER BY id LIMIT ?",
                arguments: StatementArguments([project, id] as [(any DatabaseValueConvertible)?]) + condition.arguments
                    + [limit]
            ).compactMap(Self.model)
        }
    }

    func versions(of model: Int64) async throws -> [ModelVersion] {
        try await pool.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM version WHERE model = ? ORDER BY number", arguments: [model])
                .compactMap(Self.version)
        }
    }

    func versions(of model: Int64, before number: Int?, limit: Int) async throws -> [ModelVersion] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM version WHERE model = ? AND number < ? ORDER BY number DESC LIMIT ?",
                arguments: [model, number ?? .max, limit]
            ).compactMap(Self.version)
        }
    }

    func version(_ number: Int, of model: Int64) async throws -> ModelVersion? {
        try await pool.read { db in
            try Row.fetchOne(
                db,
                sql: "SELECT * FROM version WHERE model = ? AND number = ?",
                arguments: [model, number]
            ).flatMap(Self.version)
        }
    }

    private static func version(_ row: Row) -> ModelVersion? {
        guard let hash = BlobHash(row["hash"] as String) else { return nil }
        return ModelVersion(
            number: row["number"],
            hash: hash,
            byteCount: row["size"],
            createTime: Timestamp(milliseconds: row["createTime"]),
            source: row["source"],
            inspection: row["inspection"],
            warning: row["warning"]
        )
    }

    static func model(_ row: Row) -> ModelRecord? {
        let tagText: String = row["tags"]
        let tags = tagText == "[]" ? [] : try? JSONDecoder().decode([String].self, from: Data(tagText.utf8))
        let (uri, autoML): (String?, String?) = (row["objectURI"], row["autoML"])
        let (code, message): (Int?, String?) = (row["errorCode"], row["errorMessage"])
        let (version, hash, size): (Int?, String?, Int?) = (row["version"], row["hash"], row["size"])
        return ModelRecord(
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
                hash.flatMap { BlobHash($0) }.flatMap { hash in
                    size.map { .init(version: version, hash: hash, byteCount: $0, warning: row["warning"]) }
                }
            },
            confidenceThreshold: row["confidenceThreshold"]
        )
    }
}

/// A filter as a condition on rows of `model`.
private struct SQLCondition {
    let project: String
    private(set) var arguments = StatementArguments()

    init(project: String) { self.project = project }

    mutating func sql(of filter: ModelFilter) -> String {
        switch filter {
        case .name(let name):
            arguments += [name]
            return "displayName = ?"
        case .namePrefix(let prefix):
            // Names are ASCII, so no name with the prefix lies beyond the prefix and the last code point.
            arguments += [prefix, prefix + "\u{10FFFF}"]
            return "(displayName >= ? AND displayName < ?)"
        case .tag(let tag):
            arguments += [project, tag]
            return "id IN (SELECT model FROM tag WHERE project = ? AND tag = ?)"
        case .not(.tag(let tag)):
            // The condition may exclude few or nearly all models; checking each record is fastest for both. Tags in the
            // records are JSON without escapes.
            arguments += ["\"\(tag)\""]
            return ModelRules.isTag(tag) ? "instr(tags, ?) = 0" : "? IS NOT NULL"
        case .not(.not(let part)): return sql(of: part)
        case .not(.all(let parts)): return sql(of: .any(parts.map { .not($0) }))
        case .not(.any(let parts)): return sql(of: .all(parts.map { .not($0) }))
        case .published(let isPublished):
            arguments += [isPublished]
            return "isPublished = ?"
        case .not(let part): return "NOT " + sql(of: part)
        case .all(let parts): return "(" + parts.map { sql(of: $0) }.joined(separator: " AND ") + ")"
        case .any(let parts): return "(" + parts.map { sql(of: $0) }.joined(separator: " OR ") + ")"
        }
    }
}

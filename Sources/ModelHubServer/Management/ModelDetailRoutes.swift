import Foundation
import HTTPServing
import Hummingbird
import ModelHubProtocol

/// Operations that Firebase lacks: `/hub/v1/projects/{project}/…` shows a model's versions, inputs and outputs, adds a
/// version, changes the model's card, sets a version's threshold and notes, serves it or gives it an alias, and shows the audit log.
struct ModelDetailRoutes {
    let hub: Hub

    func add(to routes: inout RouteTable) {
        let project = "hub/v1/projects/{project}"
        let model = "\(project)/models/{model}"
        routes.on(.get, at: model, for: .viewer, use: get) {
            APIOperation(.versions, "getModelDetails", "Get a model with its versions")
                .parameters(
                    .query("pageSize", "The largest number of versions, 1 to 1000.", .integer()),
                    .pageToken
                )
                .answers("The model.", .modelDetails)
        }
        routes.on(.patch, at: model, for: .publisher, use: patch) {
            APIOperation(.versions, "setServedThreshold", "Set the threshold of the served version")
                .takes(.versionChange)
                .answers("The model.", .modelDetails)
        }
        routes.on(.patch, at: "\(model)/card", for: .publisher, use: changeCard) {
            APIOperation(.versions, "changeModelCard", "Change the card of a model")
                .takes(.modelCardChange)
                .answers("The model.", .modelDetails)
        }
        routes.on(.post, at: "\(model):promote", for: .publisher, use: promote) {
            APIOperation(.versions, "promoteVersion", "Serve a version")
                .explained(
                    "Without a version, the staged version. The way back is the same operation with an earlier version."
                )
                .takes(.versionChoice)
                .answers("The model.", .modelDetails)
        }
        routes.on(.post, at: "\(model)/versions", for: .publisher, use: addVersion) {
            APIOperation(.versions, "addVersion", "Add a version that is not served yet")
                .explained(
                    "Give the version the alias `staging` to stage it. A name that no model has becomes a new model."
                )
                .takes(.newVersion)
                .answers("The version.", .addedVersion)
        }
        routes.on(.patch, at: "\(model)/versions/{version}", for: .publisher, use: patch) {
            APIOperation(.versions, "setVersionThreshold", "Set the threshold of a version")
                .takes(.versionChange)
                .answers("The model.", .modelDetails)
        }
        routes.on(.put, at: "\(model)/versions/{version}/notes", for: .publisher, use: setNotes) {
            APIOperation(.versions, "setVersionNotes", "Set the notes of a version")
                .takes(.versionNotes)
                .answers("The model.", .modelDetails)
        }
        routes.on(.put, at: "\(model)/aliases/{alias}", for: .publisher, use: setAlias) {
            APIOperation(.versions, "setAlias", "Give a version an alias")
                .takes(.versionChoice)
                .answers("The model.", .modelDetails)
        }
        routes.on(.delete, at: "\(model)/aliases/{alias}", for: .publisher, use: removeAlias) {
            APIOperation(.versions, "removeAlias", "Remove an alias")
                .answers("The model.", .modelDetails)
        }
        routes.on(.get, at: "\(project)/audit", for: .editor) {
            try await auditLog($0, of: $1.project.id)
        } describedBy: {
            APIOperation(.access, "getAuditLog", "Get the audit log of a project")
                .parameters(.auditPageSize, .auditSince)
                .answers("The newest changes, or those after `since`.", .auditLog)
        }
        routes.onHub(.get, at: "hub/v1/audit", for: .administrator) { request, _ in
            try await auditLog(request, of: AuditEntry.wholeHub)
        } describedBy: {
            APIOperation(.access, "getHubAuditLog", "Get the changes that concern no single project")
                .parameters(.auditPageSize, .auditSince)
                .answers("The newest changes, or those after `since`.", .auditLog)
        }
        routes.otherwise(below: "hub/v1/projects/*") { _ in throw HubError.entityNotFound }
    }

    @Sendable
    private func get(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try await details(of: try await model(request["model"], of: caller), request)
    }

    /// Changes the version in the path, or the served version if the path names none.
    @Sendable
    private func patch(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request["model"], of: caller)
        var number: Int?
        if let text = request.parameter("version") {
            guard let version = Int(text) else { throw HubError.invalidArgument }
            number = version
        }
        let threshold = try await request.json(VersionChange.self).confidenceThreshold
        let changed = try await hub.setConfidenceThreshold(model.id, ofVersion: number, to: threshold, by: caller)
        return try await details(of: changed, request)
    }

    @Sendable
    private func changeCard(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request["model"], of: caller)
        let change = try await request.json(ModelCardChange.self)
        return try await details(of: try await hub.changeCard(of: model.id, change, by: caller), request)
    }

    @Sendable
    private func setNotes(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request["model"], of: caller)
        guard let number = Int(request["version"]) else { throw HubError.invalidArgument }
        let notes = try await request.json(VersionNotes.self).notes
        return try await details(
            of: try await hub.setNotes(model.id, ofVersion: number, to: notes, by: caller),
            request
        )
    }

    @Sendable
    private func promote(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request["model"], of: caller)
        let number = try await request.json(VersionChoice.self).version
        let promoted = try await hub.promote(model.id, to: number, by: caller)
        try await hub.noteLabelChange(from: model, to: promoted, request.logger)
        return try await details(of: promoted, request)
    }

    /// Adds a version to the model with a name or id. A name that no model has becomes a new model.
    @Sendable
    private func addVersion(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        var name = request["model"]
        if let id = try? ModelRecord.id(name) { name = try await model("\(id)", of: caller).displayName }
        let uri = try await request.json(NewVersion.self).gcsTfliteUri
        let added = try await hub.addVersion(uri, toModelNamed: name, by: caller)
        return try .json(AddedVersion(version: added.version.number, isKnown: added.isKnown))
    }

    @Sendable
    private func setAlias(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request["model"], of: caller)
        guard let number = try await request.json(VersionChoice.self).version else { throw HubError.invalidArgument }
        let alias = ModelAlias(rawValue: request["alias"])
        return try await details(of: try await hub.setAlias(alias, of: model.id, to: number, by: caller), request)
    }

    @Sendable
    private func removeAlias(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request["model"], of: caller)
        let alias = ModelAlias(rawValue: request["alias"])
        return try await details(of: try await hub.removeAlias(alias, of: model.id, by: caller), request)
    }

    private func auditLog(_ request: APIRequest, of project: String) async throws -> Response {
        let limit = min(max(request.query["pageSize"].flatMap { Int($0) } ?? 100, 1), 1000)
        let since = try request.query["since"].map { text in
            guard let number = Int(text), number >= 0 else {
                throw HubError(
                    .invalidArgument,
                    "since is \"\(text.prefix(40))\"; it must be the number of an entry, or 0."
                )
            }
            return number
        }
        let entries = try await hub.records.auditChain(of: project, after: since, limit: limit)
        return try .json(AuditLogResource(entries: entries))
    }

    /// The model with an id or a display name. These differ, because names begin with a letter.
    func model(_ idOrName: String, of caller: Caller) async throws -> ModelRecord {
        let project = caller.project.id
        let id = try? ModelRecord.id(idOrName)
        let model =
            if let id { try await hub.records.model(id, of: project) } else {
                try await hub.records.model(named: idOrName, of: project)
            }
        guard let model else {
            throw HubError(
                .notFound,
                "The project \"\(project)\" has no model \"\(idOrName.prefix(80))\"; `sightline hub list` shows the existing models."
            )
        }
        return model
    }

    /// A model with a page of its versions: at most `pageSize`, before the version in `pageToken`.
    private func details(of model: ModelRecord, _ request: APIRequest) async throws -> Response {
        let limit = min(max(request.query["pageSize"].flatMap { Int($0) } ?? 100, 1), 1000)
        let token = request.query["pageToken"] ?? ""
        guard let start = token.isEmpty ? .max : Int(token) else { throw HubError.invalidArgument }
        let found = try await hub.records.versions(of: model.id, before: start, limit: limit + 1)
        let page = found.prefix(limit)
        let downloads = try await hub.downloadCounts(of: model.id, versions: page)
        let formats = await hub.formats(of: page)
        return try .json(
            ModelDetailsResource(
                model: ModelResource(model),
                card: model.card,
                servedVersion: model.file?.version,
                confidenceThreshold: model.file?.confidenceThreshold,
                aliases: model.aliases.merging(model.file.map { [.production: $0.version] } ?? [:]) { $1 },
                versions: page.map { version in
                    .init(
                        version: version.number,
                        modelHash: version.hash.text,
                        sizeBytes: "\(version.byteCount)",
                        modelFormat: formats[version.hash]?.rawValue,
                        createTime: "\(version.createTime)",
                        gcsTfliteUri: version.source,
                        actor: version.actor.isEmpty ? nil : version.actor,
                        confidenceThreshold: version.confidenceThreshold,
                        notes: version.notes.isEmpty ? nil : version.notes,
                        warning: version.warning,
                        downloads: downloads[version.number] ?? 0,
                        inspection: RawJSON(version.inspection)
                    )
                },
                nextPageToken: found.count > limit ? page.last.map { "\($0.number)" } : nil
            )
        )
    }
}

extension APIParameter {
    fileprivate static let auditPageSize = query(
        "pageSize",
        "The largest number of changes, 1 to 1000.",
        .integer()
    )
    fileprivate static let auditSince = query(
        "since",
        "Give the changes after the one with this number, oldest first; 0 for all.",
        .integer()
    )
}

import Foundation
import Hummingbird
import ModelHubProtocol

/// Operations that Firebase lacks: `/hub/v1/projects/{project}/…` shows a model's versions, inputs and outputs, sets a
/// confidence threshold, rolls back, and shows the audit log.
struct ModelDetailRoutes {
    let hub: Hub

    /// The changes of a patch; null removes the threshold.
    private struct DetailsInput: Decodable {
        enum CodingKeys: CodingKey {
            case confidenceThreshold
        }

        var confidenceThreshold: Double?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // The field is required, because an empty patch is a mistake.
            confidenceThreshold =
                try container.decodeNil(forKey: .confidenceThreshold)
                ? nil : try container.decode(Double.self, forKey: .confidenceThreshold)
        }
    }

    private struct RollbackInput: Decodable {
        var version: Int
    }

    func add(to routes: inout RouteTable) {
        let project = "hub/v1/projects/{project}"
        routes.on(.get, at: "\(project)/models/{model}", for: .viewer, use: get)
        routes.on(.patch, at: "\(project)/models/{model}", for: .publisher, use: patch)
        routes.on(.post, at: "\(project)/models/{model}:rollback", for: .publisher, use: rollBack)
        routes.on(.get, at: "\(project)/audit", for: .editor) { try await auditLog($0, of: $1.project.id) }
        routes.onHub(.get, at: "hub/v1/audit", for: .administrator) { request, _ in
            try await auditLog(request, of: AuditEntry.wholeHub)
        }
        routes.otherwise(below: "hub/v1/projects/*") { _ in throw HubError.entityNotFound }
    }

    @Sendable
    private func get(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try await details(of: try await model(request["model"], of: caller), request)
    }

    @Sendable
    private func patch(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request["model"], of: caller)
        let input = try await request.json(DetailsInput.self)
        let changed = try await hub.setConfidenceThreshold(model.id, to: input.confidenceThreshold, by: caller)
        return try await details(of: changed, request)
    }

    @Sendable
    private func rollBack(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let model = try await model(request["model"], of: caller)
        let input = try await request.json(RollbackInput.self)
        return try .json(ModelResource(try await hub.rollBack(model.id, to: input.version, by: caller)))
    }

    private func auditLog(_ request: APIRequest, of project: String) async throws -> Response {
        let limit = min(max(request.query["pageSize"].flatMap { Int($0) } ?? 100, 1), 1000)
        let entries = try await hub.metadata.auditLog(of: project, limit: limit)
        return try .json(
            AuditLogResource(
                entries: entries.map {
                    .init(
                        time: "\($0.time)",
                        actor: $0.actor,
                        action: $0.action,
                        target: $0.target,
                        detail: $0.detail
                    )
                }
            )
        )
    }

    /// The model with an id or a display name. These differ, because names begin with a letter.
    private func model(_ idOrName: String, of caller: Caller) async throws -> ModelRecord {
        let project = caller.project.id
        let id = try? ModelRecord.id(idOrName)
        let model =
            if let id { try await hub.metadata.model(id, of: project) } else {
                try await hub.metadata.model(named: idOrName, of: project)
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
        let found = try await hub.metadata.versions(of: model.id, before: start, limit: limit + 1)
        let page = found.prefix(limit)
        return try .json(
            ModelDetailsResource(
                model: ModelResource(model),
                servedVersion: model.file?.version,
                confidenceThreshold: model.confidenceThreshold,
                versions: page.map { version in
                    .init(
                        version: version.number,
                        modelHash: version.hash.text,
                        sizeBytes: "\(version.byteCount)",
                        createTime: "\(version.createTime)",
                        gcsTfliteUri: version.source,
                        inspection: RawJSON(version.inspection)
                    )
                },
                nextPageToken: found.count > limit ? page.last.map { "\($0.number)" } : nil
            )
        )
    }
}

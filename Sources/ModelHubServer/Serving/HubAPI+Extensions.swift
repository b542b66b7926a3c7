import Foundation
import Hummingbird

/// Operations that Firebase lacks: `/hub/v1/projects/{project}/…` shows a model's versions, inputs and outputs, sets a
/// confidence threshold, rolls back, and shows the audit log.
extension HubAPI {
    private struct VersionResource: Encodable {
        var version: Int
        var modelHash: String
        var sizeBytes: String
        var createTime: String
        var gcsTfliteUri: String
        var inspection: RawJSON
    }

    private struct ModelDetails: Encodable {
        var model: ModelResource
        /// The version that is served after the model is published.
        var servedVersion: Int?
        /// From 0 to 1.
        var confidenceThreshold: Double?
        /// The versions, newest first.
        var versions: [VersionResource]
        var nextPageToken: String?
    }

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

    private struct AuditLog: Encodable {
        struct Line: Encodable {
            var time, actor, action, target, detail: String
        }

        var entries: [Line]
    }

    func extensions(_ request: APIRequest) async throws -> Response {
        let custom = request.customMethod
        let path = custom?.path ?? request.path
        switch (path.count, path.count > 4 ? path[4] : "", custom?.verb, request.method) {
        case (6, "models", nil, .get):
            let caller = try await caller(request, project: path[3], atLeast: .read)
            return try await details(of: try await model(path[5], of: caller), request)
        case (6, "models", nil, .patch):
            let caller = try await caller(request, project: path[3], atLeast: .publish)
            let model = try await model(path[5], of: caller)
            let input = try await request.json(DetailsInput.self)
            return try await details(
                of: try await hub.setConfidenceThreshold(model.id, to: input.confidenceThreshold, by: caller),
                request
            )
        case (6, "models", "rollback", .post):
            let caller = try await caller(request, project: path[3], atLeast: .publish)
            let model = try await model(path[5], of: caller)
            let input = try await request.json(RollbackInput.self)
            return try .json(ModelResource(try await hub.rollBack(model.id, to: input.version, by: caller)))
        case (5, "audit", nil, .get):
            let caller = try await caller(request, project: path[3], atLeast: .admin)
            let limit = min(max(request.query["pageSize"].flatMap { Int($0) } ?? 100, 1), 1000)
            let entries = try await hub.metadata.auditLog(of: caller.project.id, limit: limit)
            return try .json(
                AuditLog(
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
        default: throw HubError.entityNotFound
        }
    }

    /// The model with an id or a display name. These differ, because names begin with a letter.
    private func model(_ idOrName: String, of caller: Caller) async throws -> ModelRecord {
        let project = caller.project.id
        let id = try? Self.modelID(idOrName)
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
            ModelDetails(
                model: ModelResource(model),
                servedVersion: model.file?.version,
                confidenceThreshold: model.confidenceThreshold,
                versions: page.map { version in
                    VersionResource(
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

/// Stored JSON text that becomes part of other JSON.
struct RawJSON: Codable, Sendable {
    private indirect enum Value: Codable {
        case null
        case bool(Bool)
        case integer(Int64)
        case number(Double)
        case string(String)
        case array([Value])
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .integer(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .array(let value): try container.encode(value)
            case .object(let value): try container.encode(value)
            }
        }
    }

    private let value: Value

    /// Parses a text; null if it is not JSON.
    init(_ text: String) {
        value = (try? JSONDecoder().decode(Value.self, from: Data(text.utf8))) ?? .null
    }

    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

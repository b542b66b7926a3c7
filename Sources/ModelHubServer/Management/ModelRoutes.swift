import Foundation
import HTTPServing
import Hummingbird
import ModelHubProtocol

/// firebaseml v1beta2: `/v1beta2/projects/{project}/…`.
struct ModelRoutes {
    let hub: Hub
    let operations: OperationLog

    func add(to routes: inout RouteTable) {
        let models = "v1beta2/projects/{project}/models"
        routes.on(.post, at: models, for: .publisher, use: create) {
            APIOperation(.models, "createModel", "Create a model")
                .explained(
                    "With a file, the hub runs the model once in a sandbox, which can take seconds. The new model is not published."
                )
                .takes(.modelInput)
                .answers("The finished operation.", .operation)
        }
        routes.on(.get, at: models, for: .viewer, use: list) {
            APIOperation(.models, "listModels", "List models")
                .parameters(
                    .pageSize,
                    .pageToken,
                    .query(
                        "filter",
                        "Such as `displayName = plants`, `displayName : pl*`, `tags : flowers`, `state.published = true`, joined with AND, OR, NOT and parentheses."
                    )
                )
                .answers("A page of models.", .modelPage)
        }
        routes.on(.get, at: "\(models)/{model}", for: .viewer, use: get) {
            APIOperation(.models, "getModel", "Get a model")
                .parameters(.modelNumber)
                .answers("The model.", .model)
        }
        routes.on(.patch, at: "\(models)/{model}", for: .publisher, use: patch) {
            APIOperation(.models, "updateModel", "Change or publish a model")
                .explained(
                    #"`?updateMask=state.published` with `{"state": {"published": true}}` publishes a model. A new file becomes a new version, which is served at once."#
                )
                .parameters(
                    .modelNumber,
                    .query(
                        "updateMask",
                        "The fields to change, separated by commas: `displayName`, `tags`, `tfliteModel.gcsTfliteUri`, `state.published`. Without a mask, the fields in the body except the state."
                    )
                )
                .takes(.modelInput)
                .answers("The finished operation.", .operation)
        }
        routes.on(.delete, at: "\(models)/{model}", for: .editor, use: delete) {
            APIOperation(.models, "deleteModel", "Delete a model and all its versions")
                .parameters(.modelNumber)
                .answers("The model is deleted.", .empty)
        }
        routes.on(.get, at: "v1beta2/projects/{project}/operations/{operation}", for: .viewer, use: operation) {
            APIOperation(.models, "getProjectOperation", "Get a recent operation")
                .answers("The operation.", .operation)
        }
        routes.otherwise(below: "v1beta2/projects/*") { _ in throw HubError.entityNotFound }
    }

    @Sendable
    private func create(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let input = try await request.json(ModelInput.self)
        return try await operation(caller) { try await hub.createModel(input, by: caller) }
    }

    @Sendable
    private func get(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        guard let model = try await hub.records.model(try ModelRecord.id(request["model"]), of: caller.project.id)
        else { throw HubError.entityNotFound }
        return try .json(ModelResource(model))
    }

    @Sendable
    private func patch(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let text = request["model"]
        let id = try ModelRecord.id(text)
        let mask = request.query["updateMask"] ?? request.query["update_mask"]
        let patch = try ModelPatch(try await request.json(ModelInput.self), mask: mask)
        return try await operation(caller) {
            do {
                let old = try await hub.records.model(id, of: caller.project.id)
                let new = try await hub.patchModel(id, patch, by: caller)
                if let old { try await hub.noteLabelChange(from: old, to: new, request.logger) }
                return new
            } catch let error as HubError where error.code == .notFound {
                // The id in its original form: "00000000" is also an id.
                throw HubError(.notFound, "Model 'projects/\(caller.project.id)/models/\(text)' was not found")
            }
        }
    }

    @Sendable
    private func delete(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        try await hub.deleteModel(try ModelRecord.id(request["model"]), by: caller)
        return try .json(EmptyObject())
    }

    @Sendable
    private func operation(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        guard
            let operation = operations.operation("projects/\(caller.project.id)/operations/\(request["operation"])")
        else { throw HubError.entityNotFound }
        return try .json(operation)
    }

    /// Performs a change, and responds with the finished operation. An error that concerns the model is the operation's
    /// error, with status 200; an error that concerns the request is an error response.
    private func operation(_ caller: Caller, _ change: () async throws -> ModelRecord) async throws -> Response {
        let result: Result<ModelRecord, HubError>
        do {
            result = .success(try await change())
        } catch let error as HubError {
            switch error.code {
            case .alreadyExists, .notFound, .failedPrecondition, .aborted: result = .failure(error)
            default: throw error
            }
        }
        let operation = OperationResource(project: caller.project.id, result: result)
        let response = try Response.json(operation)
        operations.add(operation)
        return response
    }

    private struct PageToken: Codable {
        var after: Int64
        var project: String
        var filter: String
    }

    @Sendable
    private func list(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let text = request.query["filter"] ?? ""
        let filter = try ModelFilter.parse(text)
        let size = try request.pageSize
        var after: Int64 = 0
        if let token = request.query["pageToken"] ?? request.query["page_token"], !token.isEmpty {
            guard let content = hub.signer.value(of: token, for: "page", as: PageToken.self), content.filter == text,
                content.project == caller.project.id
            else { throw HubError.invalidArgument }
            after = content.after
        }
        let models = try await hub.records.models(of: caller.project.id, where: filter, after: after, limit: size + 1)
        let page = models.prefix(size)
        var body = ModelPage(models: page.isEmpty ? nil : page.map { ModelResource($0) })
        if models.count > size, let last = page.last {
            body.nextPageToken = try hub.signer.token(
                PageToken(after: last.id, project: caller.project.id, filter: text),
                for: "page"
            )
        }
        return try .json(body)
    }
}

extension APIRequest {
    /// The wanted number of things in a page, at most 100.
    var pageSize: Int {
        get throws(HubError) {
            guard let text = query["pageSize"] ?? query["page_size"], !text.isEmpty else { return 100 }
            guard let size = Int(text), size >= 0 else { throw .invalidArgument }
            return size == 0 ? 100 : min(size, 100)
        }
    }
}

extension ModelRecord {
    /// The number of a model in a path. Ids are decimal; any other text is not an id.
    static func id(_ text: String) throws(HubError) -> Int64 {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let id = Int64(text)
        else { throw .invalidArgument }
        return id
    }
}

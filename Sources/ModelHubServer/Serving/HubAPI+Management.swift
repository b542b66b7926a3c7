import Foundation
import Hummingbird

/// firebaseml v1beta2: `/v1beta2/projects/{project}/…`.
extension HubAPI {
    func management(_ request: APIRequest) async throws -> Response {
        if let custom = request.customMethod, custom.verb == "download", custom.path.count == 5,
            custom.path[3] == "models"
        {
            guard request.method == .get || request.method == .head else { throw HubError.methodNotAllowed }
            return try await downloadInfo(request, project: custom.path[2], name: custom.path[4])
        }
        let path = request.path
        switch (path.count, path.count > 3 ? path[3] : "", request.method) {
        case (4, "models", .post):
            let caller = try await caller(request, project: path[2], atLeast: .publish)
            let input = try await request.json(ModelInput.self)
            return try await operation(caller) { try await hub.createModel(input, by: caller) }
        case (4, "models", .get):
            return try await list(request, try await caller(request, project: path[2], atLeast: .read))
        case (5, "models", .get):
            let caller = try await caller(request, project: path[2], atLeast: .read)
            guard let model = try await hub.metadata.model(try Self.modelID(path[4]), of: caller.project.id) else {
                throw HubError.entityNotFound
            }
            return try .json(ModelResource(model))
        case (5, "models", .patch):
            let caller = try await caller(request, project: path[2], atLeast: .publish)
            let id = try Self.modelID(path[4])
            let mask = request.query["updateMask"] ?? request.query["update_mask"]
            let patch = try ModelPatch(try await request.json(ModelInput.self), mask: mask)
            return try await operation(caller) {
                do {
                    return try await hub.patchModel(id, patch, by: caller)
                } catch let error as HubError where error.code == .notFound {
                    // The id in its original form: "00000000" is also an id.
                    throw HubError(.notFound, "Model 'projects/\(caller.project.id)/models/\(path[4])' was not found")
                }
            }
        case (5, "models", .delete):
            let caller = try await caller(request, project: path[2], atLeast: .admin)
            try await hub.deleteModel(try Self.modelID(path[4]), by: caller)
            return try .json(EmptyObject())
        case (5, "operations", .get):
            let caller = try await caller(request, project: path[2], atLeast: .read)
            guard let operation = operations.operation("projects/\(caller.project.id)/operations/\(path[4])") else {
                throw HubError.entityNotFound
            }
            return try .json(operation)
        default:
            throw HubError.entityNotFound
        }
    }

    /// The number of a model. Ids are decimal; any other text is not an id.
    static func modelID(_ text: String) throws(HubError) -> Int64 {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }), let id = Int64(text)
        else { throw .invalidArgument }
        return id
    }

    /// Performs a change, and responds with the finished operation. An error that concerns the model is the operation's
    /// error, with status 200; an error that concerns the request is an error response.
    func operation(_ caller: Caller, _ change: () async throws -> ModelRecord) async throws -> Response {
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

    private struct Page: Encodable {
        var models: [ModelResource]?
        var nextPageToken: String?
    }

    private struct PageToken: Codable {
        var after: Int64
        var project: String
        var filter: String
    }

    private func list(_ request: APIRequest, _ caller: Caller) async throws -> Response {
        let text = request.query["filter"] ?? ""
        let filter = try ModelFilter.parse(text)
        let size = try Self.pageSize(request)
        var after: Int64 = 0
        if let token = request.query["pageToken"] ?? request.query["page_token"], !token.isEmpty {
            guard let content = hub.signer.value(of: token, for: "page", as: PageToken.self), content.filter == text,
                content.project == caller.project.id
            else { throw HubError.invalidArgument }
            after = content.after
        }
        let models = try await hub.metadata.models(of: caller.project.id, where: filter, after: after, limit: size + 1)
        let page = models.prefix(size)
        var body = Page(models: page.isEmpty ? nil : page.map(ModelResource.init))
        if models.count > size, let last = page.last {
            body.nextPageToken = try hub.signer.token(
                PageToken(after: last.id, project: caller.project.id, filter: text),
                for: "page"
            )
        }
        return try .json(body)
    }

    static func pageSize(_ request: APIRequest) throws(HubError) -> Int {
        guard let text = request.query["pageSize"] ?? request.query["page_size"], !text.isEmpty else { return 100 }
        guard let size = Int(text), size >= 0 else { throw .invalidArgument }
        return size == 0 ? 100 : min(size, 100)
    }
}

extension HubError {
    static let methodNotAllowed = HubError(
        .unimplemented,
        "This address does not support this method.",
        httpStatus: 405
    )
}

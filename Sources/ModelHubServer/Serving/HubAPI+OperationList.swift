import Foundation
import Hummingbird

/// `/v1/operations`: the whole of firebaseml v1. Every operation is finished when its request is answered, so none can
/// be canceled.
extension HubAPI {
    private struct Page: Encodable {
        var operations: [OperationResource]?
        var nextPageToken: String?
    }

    private struct PageToken: Codable {
        var after: String
        var project: String
    }

    func operations(_ request: APIRequest) async throws -> Response {
        let custom = request.customMethod
        let path = custom?.path ?? request.path
        switch (path.count, custom?.verb, request.method) {
        case (2, nil, .get):
            return try list(request, try await ownCaller(request, atLeast: .read))
        case (3, nil, .get):
            let caller = try await ownCaller(request, atLeast: .read)
            guard let operation = operations.operation(Self.name(path[2], caller)) else {
                throw HubError.entityNotFound
            }
            return try .json(operation)
        case (3, "cancel", .post):
            let caller = try await ownCaller(request, atLeast: .publish)
            guard operations.operation(Self.name(path[2], caller)) != nil else { throw HubError.entityNotFound }
            return try .json(EmptyObject())
        case (3, nil, .delete):
            let caller = try await ownCaller(request, atLeast: .publish)
            guard operations.remove(Self.name(path[2], caller)) else { throw HubError.entityNotFound }
            return try .json(EmptyObject())
        default:
            throw HubError.entityNotFound
        }
    }

    /// The caller, for the project of the credential; these paths contain no project.
    private func ownCaller(_ request: APIRequest, atLeast role: Role) async throws -> Caller {
        try await caller(request, project: "-", atLeast: role)
    }

    private static func name(_ id: String, _ caller: Caller) -> String {
        "projects/\(caller.project.id)/operations/\(id)"
    }

    private func list(_ request: APIRequest, _ caller: Caller) throws -> Response {
        var all = operations.operations(of: caller.project.id)[...]
        let size = try Self.pageSize(request)
        if let text = request.query["pageToken"] ?? request.query["page_token"], !text.isEmpty {
            guard let token = hub.signer.value(of: text, for: "operations page", as: PageToken.self),
                token.project == caller.project.id
            else { throw HubError.invalidArgument }
            // Operations that were removed meanwhile are not listed again.
            all = all.firstIndex { $0.name == token.after }.map { all[($0 + 1)...] } ?? []
        }
        let page = Array(all.prefix(size))
        var body = Page(operations: page.isEmpty ? nil : page)
        if all.count > page.count, let last = page.last {
            let token = PageToken(after: last.name, project: caller.project.id)
            body.nextPageToken = try hub.signer.token(token, for: "operations page")
        }
        return try .json(body)
    }
}

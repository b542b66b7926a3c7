import Foundation
import HTTPServing
import Hummingbird
import ModelHubProtocol

/// `/v1/operations` of the caller's own project: the whole of firebaseml v1. Every operation is finished when its request is answered, so none can
/// be canceled.
struct OperationRoutes {
    let hub: Hub
    let operations: OperationLog

    private struct Page: Encodable {
        var operations: [OperationResource]?
        var nextPageToken: String?
    }

    private struct PageToken: Codable {
        var after: String
        var project: String
    }

    func add(to routes: inout RouteTable) {
        let operations = "v1/operations"
        routes.on(.get, at: operations, for: .viewer, use: list) {
            APIOperation(.models, "listOperations", "List the most recent operations")
                .parameters(.pageSize, .pageToken, .userProject)
                .answers("A page of operations, newest first.", .operationPage)
        }
        routes.on(.get, at: "\(operations)/{operation}", for: .viewer, use: get) {
            APIOperation(.models, "getOperation", "Get a recent operation")
                .parameters(.userProject)
                .answers("The operation.", .operation)
        }
        routes.on(.post, at: "\(operations)/{operation}:cancel", for: .publisher, use: cancel) {
            APIOperation(.models, "cancelOperation", "Cancel an operation")
                .parameters(.userProject)
                .answers("Nothing happens, because the operation is finished.", .empty)
        }
        routes.on(.delete, at: "\(operations)/{operation}", for: .publisher, use: delete) {
            APIOperation(.models, "forgetOperation", "Forget an operation")
                .parameters(.userProject)
                .answers("The operation is forgotten.", .empty)
        }
        routes.otherwise(below: operations) { _ in throw HubError.entityNotFound }
    }

    @Sendable
    private func get(_ request: APIRequest, _ caller: Caller) throws -> Response {
        guard let operation = operations.operation(Self.name(request["operation"], caller)) else {
            throw HubError.entityNotFound
        }
        return try .json(operation)
    }

    @Sendable
    private func cancel(_ request: APIRequest, _ caller: Caller) throws -> Response {
        guard operations.operation(Self.name(request["operation"], caller)) != nil else {
            throw HubError.entityNotFound
        }
        return try .json(EmptyObject())
    }

    @Sendable
    private func delete(_ request: APIRequest, _ caller: Caller) throws -> Response {
        guard operations.remove(Self.name(request["operation"], caller)) else { throw HubError.entityNotFound }
        return try .json(EmptyObject())
    }

    private static func name(_ id: String, _ caller: Caller) -> String {
        "projects/\(caller.project.id)/operations/\(id)"
    }

    @Sendable
    private func list(_ request: APIRequest, _ caller: Caller) throws -> Response {
        var all = operations.operations(of: caller.project.id)[...]
        let size = try request.pageSize
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

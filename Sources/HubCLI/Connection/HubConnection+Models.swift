import Foundation
import HTTPTypes
import ModelHubProtocol

extension HubConnection {
    /// The path of the project's models and of parts below it. Each part is percent-encoded.
    func models(_ parts: String..., verb: String = "") -> String {
        path("/v1beta2/projects/", ["models"] + parts) + verb
    }

    /// A path of the hub's own API, which Firebase does not have.
    func extensions(_ parts: String..., verb: String = "") -> String { path("/hub/v1/projects/", parts) + verb }

    private func path(_ prefix: String, _ parts: [String]) -> String {
        prefix + ([project] + parts).map { Self.encoded($0) }.joined(separator: "/")
    }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~")))
            ?? ""
    }

    /// Fetches the models that match a filter, page by page.
    func models(filter: String? = nil, _ body: ([ModelResource]) throws -> Void) async throws {
        var tokens = PageTokens()
        var isLast = false
        while !isLast {
            var query = "?pageSize=100&pageToken=\(Self.encoded(tokens.token))"
            if let filter { query += "&filter=\(Self.encoded(filter))" }
            let data = try await send(.get, models() + query)
            let page = try HubConnection.decoded(ModelPage.self, from: data)
            try body(page.models ?? [])
            isLast = try !tokens.advance(behind: data, to: page.nextPageToken)
        }
    }

    /// Finds the model with a display name.
    func model(named name: String) async throws -> ModelResource? {
        var found: ModelResource?
        // A quotation mark cannot be part of a model's name.
        try await models(filter: "displayName=\"\(name.filter { $0 != "\"" })\"") { found = found ?? $0.first }
        return found
    }

    /// Finds the model with a display name or id.
    func requireModel(_ name: String) async throws -> ModelResource {
        if let model = try await model(named: name) { return model }
        guard name.utf8.allSatisfy({ (48...57).contains($0) }), !name.isEmpty else {
            throw CommandError("The hub has no model \"\(name)\"; `sightline hub list` shows its models.")
        }
        return try HubConnection.decoded(ModelResource.self, from: try await send(.get, models(name)))
    }

    /// Sends a change and returns the changed model.
    func change(_ method: HTTPRequest.Method, _ target: String, _ body: some Encodable) async throws -> ModelResource {
        let operation = try Self.decoded(OperationResource.self, from: try await send(method, target, json: body))
        if let error = operation.error { throw CommandError(error.message) }
        guard let model = operation.model else {
            throw CommandError("The hub has not finished the change yet; `sightline hub list` shows the result later.")
        }
        return model
    }

    /// Publishes or unpublishes a model.
    func setPublished(_ isPublished: Bool, _ model: ModelResource) async throws -> ModelResource {
        try await change(
            .patch,
            models(model.id) + "?updateMask=state.published",
            ["state": ["published": isPublished]]
        )
    }
}

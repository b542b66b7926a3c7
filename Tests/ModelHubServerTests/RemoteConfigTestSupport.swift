import Foundation
import HTTPTypes
import ModelHubServer
import Testing

extension TestClient {
    static let config = "/v1/projects/\(TestHub.project)/remoteConfig"
    static let fetch = "/v1/projects/\(TestHub.project)/namespaces/firebase:fetch"

    /// Publishes a template over whatever there is.
    @discardableResult
    func putConfig(_ json: String, ifMatch: String? = "*", query: String = "", path: String = config) async throws
        -> TestReply
    {
        var headers: HTTPFields = [.contentType: "application/json; UTF8"]
        headers[.ifMatch] = ifMatch
        return try await send(.put, path + query, headers: headers, body: Data(json.utf8))
    }

    /// Posts a text of JSON.
    func post(_ target: String, _ json: String) async throws -> TestReply {
        try await send(.post, target, headers: [.contentType: "application/json"], body: Data(json.utf8))
    }

    func post(_ target: String, _ json: String, token: String?) async throws -> TestReply {
        try await send(
            .post,
            target,
            headers: [.contentType: "application/json"],
            body: Data(json.utf8),
            token: .some(token)
        )
    }

    /// Fetches as an app does.
    func fetchConfig(
        _ body: String = "{\"app_instance_id\":\"fid-0001\",\"app_id\":\"1:1:ios:ab\"}",
        key: String,
        etag: String? = nil
    ) async throws -> TestReply {
        try await fetchConfig(Data(body.utf8), key: key, etag: etag)
    }

    func fetchConfig(_ body: Data, key: String, etag: String? = nil, headers: HTTPFields = [:]) async throws
        -> TestReply
    {
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.ifNoneMatch] = etag
        return try await send(.post, "\(Self.fetch)?key=\(key)", headers: headers, body: body, token: .some(nil))
    }
}

extension TestReply {
    var entries: [String: String]? { value("entries") as? [String: String] }
    var message: String { text("error.message") ?? "" }
    var etag: String { headers[.eTag] ?? "" }
}

extension ConfigTemplate {
    /// A template with one condition and one parameter.
    static func with(_ expression: String, yes: String = "yes", no: String = "no") -> String {
        let condition = ["name": "c", "expression": expression]
        let parameter: [String: Any] = [
            "defaultValue": ["value": no], "conditionalValues": ["c": ["value": yes]],
        ]
        let template: [String: Any] = ["conditions": [condition], "parameters": ["p": parameter]]
        let data = (try? JSONSerialization.data(withJSONObject: template)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}

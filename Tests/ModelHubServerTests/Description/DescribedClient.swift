import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

/// Sends requests to a hub, and compares each request and response with the hub's description of its API.
final class DescribedClient: Sendable {
    let client: TestClient
    private let description: APIDescription
    private let seen = Mutex<Set<String>>([])

    init(_ client: TestClient) async throws {
        self.client = client
        description = try APIDescription(try await client.send(.get, "/openapi.json", token: .some(nil)).body)
    }

    /// The ids of the operations that succeeded.
    private var operations: Set<String> { seen.withLock(\.self) }

    /// The ids of the operations below a path that did not succeed.
    func missing(below path: String) -> [String] {
        description.operations.filter { $0.path.hasPrefix(path) }.map(\.id).filter { !operations.contains($0) }
    }

    /// Sends a request whose status is `status`.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method,
        _ target: String,
        _ json: String? = nil,
        body: Data? = nil,
        type: String? = nil,
        headers: HTTPFields = [:],
        token: String?? = nil,
        status: Int = 200,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> TestReply {
        var headers = headers
        let body = json.map { Data($0.utf8) } ?? body
        headers[.contentType] = type ?? (body == nil ? nil : "application/json")
        let reply = try await client.sendAlone(method, target, headers: headers, body: body, token: token)
        let operation = try #require(
            description.operation(method, target),
            "\(method) \(target) is not described",
            sourceLocation: location
        )
        #expect(reply.status == status, "\(operation.id): \(reply.message)", sourceLocation: location)
        let problems =
            try description.problems(ofRequest: status < 400 ? body : nil, headers[.contentType], to: operation)
            + description.problems(of: reply, to: operation)
        #expect(problems == [], sourceLocation: location)
        for field in headers where field.name != .contentType && field.name != .authorization {
            #expect(
                operation.parameters.contains { $0.lowercased() == "\(field.name.canonicalName) in header" }
                    || Self.credentials.contains(field.name.canonicalName),
                "\(operation.id): the header \(field.name) is not described",
                sourceLocation: location
            )
        }
        if reply.status < 400 || status == 499 { _ = seen.withLock { $0.insert(operation.id) } }
        return reply
    }

    private static let credentials = ["x-goog-api-key", "x-goog-firebase-installations-auth"]
}

extension TestClient {
    /// Sends a request on a connection that no later request uses: some responses close theirs, and HummingbirdTesting waits
    /// for the body of a response to HEAD.
    func sendAlone(
        _ method: HTTPRequest.Method,
        _ target: String,
        headers: HTTPFields = [:],
        body: Data? = nil,
        token: String?? = nil
    ) async throws -> TestReply {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(try #require(client.port))\(target)")
        request.method = HTTPMethod(rawValue: method.rawValue)
        for field in headers { request.headers.add(name: field.name.rawName, value: field.value) }
        if let token = token ?? self.token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.headers.add(name: "Connection", value: "close")
        if let body { request.body = .bytes(body) }
        let response = try await HTTPClient.shared.execute(request, timeout: .minutes(5))
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        let content = try await response.body.collect(upTo: 16 << 20)
        return TestReply(status: Int(response.status.code), headers: fields, body: Data(content.readableBytesView))
    }
}

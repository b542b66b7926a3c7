import Foundation
import HTTPServing
import HTTPTypes
import HubTestSupport
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import ServiceLifecycle
import Sightline
import SightlineServer
import SightlineTestSupport
import SightlineTesting
import Testing

/// A server on loopback that finds blocks of color, as `blocks`, and labels pictures by their color, as `colors`.
struct TestServer: Sendable {
    let service: AnswerService
    let client: any TestClientProtocol

    /// The models of servers of tests.
    static let models: [ModelSource] = [
        .local(TestModels.blockDetector, text: "blocks"), .local(TestModels.colorClassifier, text: "colors"),
    ]

    /// Calls `body` while a server serves.
    static func with(
        models: [ModelSource] = models,
        hosts: [String] = [],
        token: String? = nil,
        options change: (inout AnswerService.Options) -> Void = { _ in },
        connections changeConnections: (inout HTTPService.Options) -> Void = { _ in },
        shadows: (AnswerMetrics) throws -> Shadows = { _ in Shadows() },
        followers: @Sendable (AnswerService) -> [any Service] = { _ in [] },
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        var options = AnswerService.Options()
        options.workers = 2
        change(&options)
        let metrics = AnswerMetrics(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let service = AnswerService(
            models: try ModelTable(models, for: options),
            options: options,
            fetchingFrom: try #require(AllowedHosts(hosts)),
            metrics: metrics,
            shadows: try shadows(metrics)
        )
        var connections = HTTPService.Options.patient
        changeConnections(&connections)
        let server = AnswerServer(service, options: connections, token: token.map { Secret($0) })
        let followers = followers(service)
        try await server.makeApplication().test(.live) { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for follower in followers { group.addTask { try await follower.run() } }
                try await body(TestServer(service: service, client: client))
                group.cancelAll()
            }
        }
    }

    /// Sends a request.
    func send(
        _ method: HTTPRequest.Method,
        _ target: String,
        _ body: Data = Data(),
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        try await client.execute(
            uri: target,
            method: method,
            headers: headers,
            body: ByteBuffer(bytes: body)
        ) { response in
            Reply(
                status: Int(response.status.code),
                headers: response.headers,
                body: Data(response.body.readableBytesView)
            )
        }
    }

    /// Posts the files and fields of a form.
    func post(
        _ target: String,
        files: [(name: String, data: Data)],
        fields: [(name: String, value: String)] = []
    ) async throws -> Reply {
        var body = Data()
        for field in fields {
            body += Data(
                "--border\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n\(field.value)\r\n".utf8
            )
        }
        for file in files {
            let head = "Content-Disposition: form-data; name=\"picture\"; filename=\"\(file.name)\""
            body += Data("--border\r\n\(head)\r\nContent-Type: image/png\r\n\r\n".utf8) + file.data + Data("\r\n".utf8)
        }
        body += Data("--border--\r\n".utf8)
        return try await send(
            .post,
            target,
            body,
            headers: [.contentType: "multipart/form-data; boundary=border"]
        )
    }
}

/// A response.
struct Reply: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: Data

    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The sentence of an error.
    var error: String? { (try? json([String: String].self))?["error"] }

    /// The body as JSON.
    func json<Value: Decodable>(_ type: Value.Type) throws -> Value { try JSONDecoder().decode(type, from: body) }
}

/// The part of an answer that tests look at.
struct FoundObjects: Decodable {
    let image: String
    let model: String
    let version: String
    let width: Int
    let height: Int
    let objects: [DetectedObject]
    let omitted: Int?

    var names: [String] { objects.map { $0.labels.first?.text ?? "" } }
}

/// The labels of an answer.
struct FoundLabels: Decodable {
    let model: String
    let version: String
    let labels: [Label]
}

extension TestScene {
    /// A red and a green block.
    static let two = TestScene(blocks: [.init(.red, column: 1, row: 2), .init(.green, column: 8, row: 6, columns: 4)])

    /// The scene as a PNG file.
    func png() throws -> Data { try pixels().encoded(as: .png) }
}

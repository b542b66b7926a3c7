import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ModelHubServer
import NIOCore
import SightlineTestSupport
import Testing

/// A real hub on loopback with the project "my-plants", filled through its own API.
public struct ClientHub: Sendable {
    /// The hub itself.
    package let hub: Hub
    let api: InProcessHub
    let project: Project
    /// Where it is, such as `http://127.0.0.1:40123`.
    public let address: String
    /// An API key for apps of the project.
    public let key: String

    /// Calls `body` while a hub serves, with an empty folder for a client's models.
    ///
    /// - Parameter evaluator: The program whose processes read photos; nil for a hub that reads none.
    public static func with(
        requiresInstallation: Bool = false,
        tls: (certificates: String, key: String)? = nil,
        evaluator: URL? = nil,
        _ body: @escaping @Sendable (ClientHub, _ folder: URL) async throws -> Void
    ) async throws {
        try await with(requiresInstallation: requiresInstallation, tls: tls, evaluator: evaluator) { hub in
            try await withTemporaryFolder { folder in try await body(hub, folder) }
        }
    }

    /// Calls `body` while a hub serves.
    public static func with(
        requiresInstallation: Bool = false,
        tls: (certificates: String, key: String)? = nil,
        evaluator: URL? = nil,
        _ body: @escaping @Sendable (ClientHub) async throws -> Void
    ) async throws {
        var options = Hub.Options()
        options.evaluator = evaluator
        try await withTemporaryFolder { [options] folder in
            try await TestPlace.ofHubs.withDatabase { database in
                let hub = try await Hub(
                    data: folder,
                    database: database,
                    files: try await TestPlace.ofHubs.files(in: folder),
                    validator: IdentifierOnly(),
                    options: options
                )
                let result: Result<Void, any Error>
                do {
                    result = .success(try await serve(hub, requiresInstallation: requiresInstallation, tls: tls, body))
                } catch {
                    result = .failure(error)
                }
                if database != nil { try await hub.close() }
                try result.get()
            }
        }
    }

    private static func serve(
        _ hub: Hub,
        requiresInstallation: Bool,
        tls: (certificates: String, key: String)?,
        _ body: @escaping @Sendable (ClientHub) async throws -> Void
    ) async throws {
        let project = try await hub.createProject("my-plants", quota: nil, requiresInstallation: requiresInstallation)
        let key = try #require(
            try await hub.issue(.apiKey, role: .viewer, name: "test", for: project, address: "").secret
        )
        var options = HTTPService.Options.patient
        options.rateLimit = nil
        options.tls = tls.map { HTTPService.TLSFiles(certificates: $0.certificates, key: $0.key) }
        let server = HubServer(hub, options: options, logger: HubServer.makeLogger(level: .critical))
        try await server.makeApplication().test(.live) { client in
            let port = try #require(client.port)
            try await body(
                ClientHub(
                    hub: hub,
                    api: InProcessHub(hub, project: project),
                    project: project,
                    address: "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)",
                    key: key
                )
            )
        }
    }

    /// Publishes a model; gives its id.
    @discardableResult
    public func publish(_ name: String, _ file: Data) async throws -> String {
        let body: [String: Any] = ["displayName": name, "tfliteModel": ["gcsTfliteUri": try await upload(file, name)]]
        let reply = try await send(.post, "/v1beta2/projects/my-plants/models", body)
        let model = try #require(reply["response"] as? [String: Any])
        let id = try #require((model["name"] as? String)?.split(separator: "/").last.map(String.init))
        _ = try await send(.patch, "\(path(id))?updateMask=state.published", ["state": ["published": true]])
        return id
    }

    /// Gives a published model another file.
    public func replace(_ id: String, with file: Data) async throws {
        let uri = try await upload(file, "update")
        let body = ["tfliteModel": ["gcsTfliteUri": uri]]
        _ = try await send(.patch, "\(path(id))?updateMask=tfliteModel.gcsTfliteUri", body)
    }

    /// Chooses a model's threshold, or takes it away.
    public func setThreshold(_ threshold: Double?, of name: String) async throws {
        let value: Any = threshold ?? NSNull()
        _ = try await send(.patch, "/hub/v1/projects/my-plants/models/\(name)", ["confidenceThreshold": value])
    }

    /// Makes a file the staged version of a model, with a threshold if one is given.
    public func stage(_ file: Data, of name: String, threshold: Double? = nil) async throws {
        let model = "/hub/v1/projects/my-plants/models/\(name)"
        let added = try await send(.post, "\(model)/versions", ["gcsTfliteUri": try await upload(file, "staged")])
        let number = try #require(added["version"] as? Int)
        if let threshold {
            _ = try await send(.patch, "\(model)/versions/\(number)", ["confidenceThreshold": threshold])
        }
        _ = try await send(.put, "\(model)/aliases/staging", ["version": number])
    }

    /// Serves the staged version of a model.
    public func promote(_ name: String) async throws {
        _ = try await send(.post, "/hub/v1/projects/my-plants/models/\(name):promote", [:])
    }

    /// Starts a rollout of a version of a model, and returns its id.
    public func rollOut(_ name: String, version: Int, steps: [Double]) async throws -> String {
        let plan: [String: Any] = [
            "model": name, "version": version, "steps": steps, "everySeconds": 600, "guards": ["latency", "failures"],
        ]
        return try #require(try await send(.post, Self.rollouts, plan)["rolloutId"] as? String)
    }

    /// Finishes or aborts a rollout.
    public func end(rollout: String, _ action: String) async throws {
        _ = try await send(.post, "\(Self.rollouts)/\(rollout):\(action)", [:])
    }

    /// A rollout with its comparisons, as the hub shows it.
    public func rollout(_ id: String) async throws -> [String: Any] {
        let reply = try await api.send(.get, "\(Self.rollouts)/\(id)")
        let json = try JSONSerialization.jsonObject(with: Data(reply.body.readableBytesView))
        return try #require(json as? [String: Any])
    }

    /// A token of the project with the role of a publisher.
    public func publisherToken() async throws -> String {
        try #require(
            try await hub.issue(.token, role: .publisher, name: "test", for: project, address: "").secret
        )
    }

    /// Creates a data set.
    public func createDataSet(_ name: String) async throws {
        _ = try await send(.post, "/hub/v1/projects/my-plants/datasets", ["name": name])
    }

    /// The photos of a data set.
    public func photos(ofDataSet name: String) async throws -> [[String: Any]] {
        let reply = try await api.send(.get, "/hub/v1/projects/my-plants/datasets/\(name)/photos")
        let json = try JSONSerialization.jsonObject(with: Data(reply.body.readableBytesView))
        return try #require((json as? [String: Any])?["photos"] as? [[String: Any]])
    }

    /// The comparisons of a model's versions, as the hub shows them.
    public func shadows(of name: String) async throws -> [[String: Any]] {
        let reply = try await api.send(.get, "/hub/v1/projects/my-plants/models/\(name)/shadows")
        let json = try JSONSerialization.jsonObject(with: Data(reply.body.readableBytesView))
        return try #require((json as? [String: Any])?["shadows"] as? [[String: Any]])
    }

    private static let rollouts = "/hub/v1/projects/my-plants/rollouts"

    private func path(_ id: String) -> String { "/v1beta2/projects/my-plants/models/\(id)" }

    private func upload(_ file: Data, _ name: String) async throws -> String {
        let target = "/upload/storage/v1/b/my-plants.appspot.com/o?uploadType=media&name=\(name).tflite"
        let reply = try await api.send(.post, target, body: RequestBody(buffer: ByteBuffer(bytes: file)))
        #expect(reply.status == 200)
        return "gs://my-plants.appspot.com/\(name).tflite"
    }

    private func send(_ method: HTTPRequest.Method, _ target: String, _ body: [String: Any]) async throws -> [String:
        Any]
    {
        let data = try JSONSerialization.data(withJSONObject: body)
        let reply = try await api.send(
            method,
            target,
            contentType: "application/json",
            body: RequestBody(buffer: ByteBuffer(bytes: data))
        )
        #expect(reply.status == 200)
        let json = try JSONSerialization.jsonObject(with: Data(reply.body.readableBytesView))
        return try #require(json as? [String: Any])
    }
}

/// Takes what has the identifier of models for one.
private struct IdentifierOnly: ModelValidator {
    func validation(of file: BlobFile, for project: String) async -> ModelValidation {
        let data = (try? Data(contentsOf: URL(filePath: file.path))) ?? Data()
        // The beginning of an ONNX model that a test writes.
        return data.dropFirst(4).starts(with: Data("TFL3".utf8)) || data.starts(with: [0x08, 0x08, 0x12])
            ? .valid(inspection: #"{"task":"labeling"}"#) : .invalid(message: "Invalid flatbuffer format")
    }

    func problem() async -> String? { nil }
}

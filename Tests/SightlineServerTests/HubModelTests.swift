import Foundation
import HubTestSupport
import ModelHub
import OnnxRuntime
import Sightline
import SightlineTestSupport
import SightlineTesting
import Testing

@testable import SightlineServer

@Suite(.hangLimit)
struct HubModelTests {
    private static let model = RemoteModel(name: "plants")

    /// Calls `body` while a server follows the model of a hub.
    private func following(
        _ hub: ClientHub,
        _ folder: URL,
        interval: Duration = .milliseconds(20),
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let configuration = ModelHubConfiguration(
            hub: try #require(URL(string: hub.address)),
            projectID: "my-plants",
            apiKey: hub.key
        )
        let retry = RetryPolicy(tries: 1, base: .milliseconds(1))
        let manager = ModelManager(configuration: configuration, folder: folder, retry: retry)
        try await TestServer.with(
            models: [.hub(Self.model)],
            followers: { [HubFollower(of: Self.model, by: manager, for: $0, interval: interval)] },
            body
        )
    }

    private func file(_ name: String) throws -> Data { try Data(contentsOf: TestData.fixture("models/\(name).tflite")) }

    private func version(_ server: TestServer) -> String? { server.service.servedModels().first?.version?.sha256 }

    @Test func aPromotedVersionTakesThePlaceOfTheEarlierOne() async throws {
        try await ClientHub.with { hub, folder in
            let (first, second) = (try file("classifier_float_metadata"), try file("classifier_int8_metadata"))
            try await hub.publish("plants", first)
            try await following(hub, folder) { server in
                try await wait { version(server) == nil }
                let before = try #require(version(server))
                let picture = try TestScene.two.png()
                let reply = try await server.send(.post, "/v1/label", picture)
                #expect(reply.status == 200, "\(reply.text)")
                try await hub.stage(second, of: "plants")
                try await hub.promote("plants")
                try await wait { version(server) == before }
                let answer = try await server.send(.post, "/v1/label", picture).json(FoundLabels.self)
                #expect(answer.model == "plants")
                #expect(server.service.servedModels().first?.problem == nil)
            }
        }
    }

    private static let hasOnnxRuntime = (try? OnnxLibrary.shared()) != nil

    @Test(.enabled(if: hasOnnxRuntime, "ONNX Runtime is not installed; `make runtime` installs it."))
    func aVersionInOnnxTakesThePlaceOfOneInTensorFlowLiteAndTheOtherWayRound() async throws {
        var builder = OnnxBuilder.constant([("scores", [0.1, 0.7, 0.2], [1, 3])])
        builder.properties = ["names": "{0: 'ash', 1: 'birch', 2: 'cedar'}", "task": "classify"]
        let (first, second) = (try file("classifier_float_metadata"), builder.data)
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", first)
            try await following(hub, folder) { server in
                try await wait { version(server) == nil }
                let before = try #require(version(server))
                try await hub.stage(second, of: "plants")
                try await hub.promote("plants")
                try await wait { version(server) == before }
                let answer = try await server.send(.post, "/v1/label", try TestScene.two.png()).json(FoundLabels.self)
                #expect(answer.labels.first?.text == "birch")
                let files = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "files").path)
                #expect(Set(files.map { ($0 as NSString).pathExtension }) == ["onnx", "tflite"])
                try await hub.stage(try file("classifier_int8_metadata"), of: "plants")
                let between = version(server)
                try await hub.promote("plants")
                try await wait { version(server) == between }
                #expect(server.service.servedModels().first?.problem == nil)
            }
        }
    }

    /// The versions that requests with some keys get, by key.
    private func versions(_ server: TestServer, _ keys: [String]) async throws -> [String: String] {
        let picture = try TestScene.two.png()
        var versions: [String: String] = [:]
        for key in keys {
            let reply = try await server.send(.post, "/v1/label", picture, headers: [.sightlineKey: key])
            #expect(reply.status == 200, "\(reply.text)")
            versions[key] = try reply.json(FoundLabels.self).version
        }
        return versions
    }

    @Test func aRolloutSharesTheRequestsByTheirKeysAndComparesTheirResults() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", try file("classifier_float_metadata"))
            try await hub.stage(try file("classifier_int8_metadata"), of: "plants")
            try await following(hub, folder, interval: .milliseconds(100)) { server in
                try await wait { version(server) == nil }
                let old = try #require(version(server)?.prefix(12))
                let keys = (0..<30).map { "user \($0)" }
                #expect(Set(try await versions(server, keys).values) == [String(old)])
                let id = try await hub.rollOut("plants", version: 2, steps: [50, 100])
                try await wait {
                    // The server needs the processor, too.
                    try await Task.sleep(for: .milliseconds(250))
                    return try await Set(versions(server, keys).values).count == 1
                }
                let shared = try await versions(server, keys)
                #expect(try await versions(server, keys) == shared)
                let picture = try TestScene.two.png()
                for key in keys {
                    let answer = try await server.send(.post, "/v1/label", picture, headers: [.sightlineKey: key])
                    let receipt = try #require(answer.string("receipt"))
                    let scores: [String: Any] = ["receipt": receipt, "scores": ["accepted": 1]]
                    #expect(try await server.post("/v1/outcomes", json: scores).text == "{}")
                    // A receipt is good for scores once.
                    #expect(try await server.post("/v1/outcomes", json: scores).status == 404)
                }
                // Both groups report.
                try await wait {
                    let comparisons = try await hub.rollout(id)["comparisons"] as? [[String: Any]] ?? []
                    return !comparisons.contains {
                        $0["newDevices"] as? Int ?? 0 > 0 && $0["oldDevices"] as? Int ?? 0 > 0
                    }
                }
                try await hub.end(rollout: id, "abort")
                try await wait { try await Set(versions(server, keys).values) != [String(old)] }
                #expect(try await server.send(.post, "/v1/label", picture).string("receipt") == nil)
            }
        }
    }

    @Test func aVersionThatCannotRunHereLeavesTheEarlierOneInUse() async throws {
        try await ClientHub.with { hub, folder in
            let id = try await hub.publish("plants", try file("classifier_float_metadata"))
            try await following(hub, folder) { server in
                try await wait { version(server) == nil }
                let before = version(server)
                try await hub.replace(id, with: try file("custom_operator"))
                try await wait { server.service.servedModels().first?.problem == nil }
                #expect(version(server) == before)
                #expect(try await server.send(.post, "/v1/label", try TestScene.two.png()).status == 200)
                let metrics = try await server.send(.get, "/metrics").text
                #expect(metrics.contains(#"serve_model_updates_total{outcome="failed"} 1"#))
                // A version that can run is used again.
                try await hub.replace(id, with: try file("classifier_int8_metadata"))
                try await wait { version(server) == before }
                #expect(server.service.servedModels().first?.problem == nil)
            }
        }
    }

    @Test func aVersionThatCouldNotRunIsTriedAgainWithoutANewOne() async throws {
        try await ClientHub.with { hub, folder in
            let (first, good) = (try file("classifier_float_metadata"), try file("classifier_int8_metadata"))
            let useless = try file("custom_operator")
            let bad = useless + Data(count: good.count - useless.count)
            let id = try await hub.publish("plants", first)
            try await following(hub, folder) { server in
                try await wait { version(server) == nil }
                let before = version(server)
                try await hub.replace(id, with: bad)
                try await wait { server.service.servedModels().first?.problem == nil }
                #expect(version(server) == before)
                // A file that can run stands for memory that is there again.
                let files = folder.appending(path: "files")
                // While it is fetched once more, the file has another name.
                try await wait {
                    let names = try FileManager.default.contentsOfDirectory(atPath: files.path)
                    let bad = names.map { files.appending(path: $0) }.filter { (try? Data(contentsOf: $0)) == bad }
                    for file in bad { try good.write(to: file) }
                    return bad.isEmpty
                }
                try await wait { version(server) == before }
                try await wait { server.service.servedModels().first?.problem != nil }
                let metrics = try await server.send(.get, "/metrics").text
                // One version failed, however often it was tried.
                #expect(metrics.contains(#"serve_model_updates_total{outcome="failed"} 1"#))
            }
        }
    }

    @Test func theThresholdOfTheHubHolds() async throws {
        try await ClientHub.with { hub, folder in
            try await hub.publish("plants", try file("classifier_float_metadata"))
            try await following(hub, folder) { server in
                try await wait { version(server) == nil }
                let picture = try TestScene.two.png()
                #expect(try await !server.send(.post, "/v1/label", picture).json(FoundLabels.self).labels.isEmpty)
                try await hub.setThreshold(1, of: "plants")
                try await wait {
                    try await !server.send(.post, "/v1/label", picture).json(FoundLabels.self).labels.isEmpty
                }
            }
        }
    }

    @Test func withoutItsHubAServerUsesTheVersionThatWasDownloadedLast() async throws {
        try await withTemporaryFolder { folder in
            try await ClientHub.with { hub in
                try await hub.publish("plants", try file("classifier_float_metadata"))
                try await following(hub, folder) { server in try await wait { version(server) == nil } }
            }
            let configuration = ModelHubConfiguration(
                hub: try #require(URL(string: "http://127.0.0.1:1")),
                projectID: "my-plants",
                apiKey: "key"
            )
            let manager = ModelManager(
                configuration: configuration,
                folder: folder,
                retry: RetryPolicy(tries: 1, base: .milliseconds(1))
            )
            try await TestServer.with(
                models: [.hub(Self.model)],
                followers: { [HubFollower(of: Self.model, by: manager, for: $0, interval: .milliseconds(20))] }
            ) { server in
                try await wait { version(server) == nil }
                try await wait { server.service.servedModels().first?.problem == nil }
                #expect(try await server.send(.post, "/v1/label", try TestScene.two.png()).status == 200)
            }
        }
    }

    @Test func aServerIsNotReadyBeforeItsModels() async throws {
        try await TestServer.with(models: [.hub(Self.model)]) { server in
            let ready = try await server.send(.get, "/readyz")
            #expect(ready.status == 503)
            #expect(ready.error == "Not downloaded yet: plants; the log says why.")
            let reply = try await server.send(.post, "/v1/label", try TestScene.two.png())
            #expect(reply.status == 503)
            #expect(reply.headers[.retryAfter] == "5")
        }
    }
}

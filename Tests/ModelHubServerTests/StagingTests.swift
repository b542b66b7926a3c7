import Foundation
import HTTPTypes
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Versions that are added, named and looked at before they are served.
@Suite(.hangLimit)
struct StagingTests {
    private static let details = "/hub/v1/projects/my-plants/models/plants"

    /// Calls `body` with a served hub with the published model "plants", whose file is `fakeModel(1)`.
    private func withModel(_ body: @escaping @Sendable (TestHub, TestClient) async throws -> Void) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel(1))
                try await body(test, client)
            }
        }
    }

    @Test func aStagedVersionIsServedOnlyAfterItsPromotionAndBringsItsThreshold() async throws {
        try await withModel { test, client in
            _ = try await client.send(.patch, Self.details, json: ["confidenceThreshold": 0.3])
            let number = try await client.addVersion(fakeModel(2))
            #expect(number == 2)
            _ = try await client.send(
                .patch,
                "\(Self.details)/versions/2",
                json: ["confidenceThreshold": 0.7]
            )
            // Nobody gets it yet, under no name.
            for alias in [nil, "staging", "production"] {
                let info = try await client.info(alias, key: test.apiKey)
                #expect(info.headers[.eTag] == sha256(fakeModel(1)))
                #expect(info.value("confidenceThreshold") as? Double == 0.3)
            }
            let staged = try await client.send(.put, "\(Self.details)/aliases/staging", json: ["version": 2])
            #expect(staged.value("aliases") as? [String: Int] == ["production": 1, "staging": 2])
            #expect(try await client.info(nil, key: test.apiKey).headers[.eTag] == sha256(fakeModel(1)))
            let info = try await client.info("staging", key: test.apiKey)
            #expect(info.headers[.eTag] == sha256(fakeModel(2)))
            #expect(info.value("confidenceThreshold") as? Double == 0.7)
            let target = try requestTarget(info.text("downloadUri"))
            #expect(try await client.send(.get, target, token: .some(nil)).body == fakeModel(2))
            // The file of another alias is another file.
            let known: HTTPFields = [.ifNoneMatch: sha256(fakeModel(2))]
            #expect(try await client.info("staging", key: test.apiKey, known).status == 304)
            #expect(try await client.info(nil, key: test.apiKey, known).status == 200)

            let promoted = try await client.send(.post, "\(Self.details):promote", json: [String: Int]())
            #expect(promoted.value("servedVersion") as? Int == 2)
            #expect(promoted.value("aliases") as? [String: Int] == ["production": 2])
            for alias in [nil, "staging"] {
                let info = try await client.info(alias, key: test.apiKey)
                #expect(info.headers[.eTag] == sha256(fakeModel(2)))
                #expect(info.value("confidenceThreshold") as? Double == 0.7)
            }
            // The way back is the same.
            let back = try await client.send(.post, "\(Self.details):promote", json: ["version": 1])
            #expect(back.value("confidenceThreshold") as? Double == 0.3)
            let log = try await test.hub.records.auditLog(of: TestHub.project, limit: 3)
            #expect(log.map(\.action) == ["model.promote", "model.promote", "model.alias"])
            #expect(log.allSatisfy { $0.actor.hasSuffix("(test)") })
            #expect(log[1].detail.contains("version 2, hash \(sha256(fakeModel(2))), confidence threshold 0.7"))
            #expect(log[2].detail == "alias staging of version 2")
        }
    }

    @Test func anAliasOfOnesOwnNamesAVersionUntilItIsRemoved() async throws {
        try await withModel { test, client in
            _ = try await client.addVersion(fakeModel(2))
            _ = try await client.send(.put, "\(Self.details)/aliases/beta-2", json: ["version": 2])
            #expect(try await client.info("beta-2", key: test.apiKey).headers[.eTag] == sha256(fakeModel(2)))
            _ = try await client.send(.put, "\(Self.details)/aliases/beta-2", json: ["version": 1])
            #expect(try await client.info("beta-2", key: test.apiKey).headers[.eTag] == sha256(fakeModel(1)))
            // Serving a version does not move it.
            _ = try await client.send(.post, "\(Self.details):promote", json: ["version": 2])
            #expect(try await client.info("beta-2", key: test.apiKey).headers[.eTag] == sha256(fakeModel(1)))
            let removed = try await client.send(.delete, "\(Self.details)/aliases/beta-2")
            #expect(removed.value("aliases") as? [String: Int] == ["production": 2])
            let missing = try await client.info("beta-2", key: test.apiKey)
            #expect(missing.status == 404)
            #expect(
                missing.text("error.message")
                    == "There is no published model \"plants\" with the alias \"beta-2\"; `sightline hub show` lists the aliases of a model."
            )
            for alias in ["", "BETA", "a%2Fb", "%00", String(repeating: "a", count: 5000)] {
                let status = try await client.info(alias, key: test.apiKey).status
                #expect(status == 404 || alias == "%00" && status == 400, "\(alias)")
            }
        }
    }

    @Test func aliasesHaveAFormAndAreFew() async throws {
        try await withModel { test, client in
            for alias in ["production", "Beta", "1st", "a_b", "%C3%A4", String(repeating: "a", count: 64)] {
                let reply = try await client.send(.put, "\(Self.details)/aliases/\(alias)", json: ["version": 1])
                #expect(reply.status == 400, "\(alias)")
                #expect(try await client.send(.delete, "\(Self.details)/aliases/\(alias)").status == 400, "\(alias)")
            }
            for version in [9, -1, "1", NSNull()] as [Any] {
                let reply = try await client.send(.put, "\(Self.details)/aliases/beta", json: ["version": version])
                #expect([400, 404].contains(reply.status))
            }
            let served = try await client.send(.put, "\(Self.details)/aliases/staging", json: ["version": 1])
            #expect(
                served.text("error.message") == "Version 1 of plants is served; only another version can be staged."
            )
            for number in 1...20 {
                let reply = try await client.send(.put, "\(Self.details)/aliases/a\(number)", json: ["version": 1])
                #expect(reply.status == 200)
            }
            let many = try await client.send(.put, "\(Self.details)/aliases/a21", json: ["version": 1])
            #expect(many.status == 429)
            #expect(many.text("error.message") == "plants already has 20 aliases; remove an alias first.")
            // Moving an alias is not a new alias, and neither is staging a version.
            #expect(try await client.send(.put, "\(Self.details)/aliases/a20", json: ["version": 1]).status == 200)
            _ = try await client.addVersion(fakeModel(2))
            #expect(try await client.send(.put, "\(Self.details)/aliases/staging", json: ["version": 2]).status == 200)
        }
    }

    @Test func aNewModelCanBeginWithAVersionThatIsNotServed() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                #expect(try await client.addVersion(fakeModel(1)) == 1)
                _ = try await client.send(.put, "\(Self.details)/aliases/staging", json: ["version": 1])
                // For Firebase's clients, it has no file yet.
                let list = try await client.send(.get, "\(TestClient.models)?filter=displayName=plants")
                let model = try #require((list.value("models") as? [[String: Any]])?.first)
                let id = try #require((model["name"] as? String)?.split(separator: "/").last)
                #expect(model["modelHash"] == nil)
                let early = try await client.setPublished(true, String(id))
                #expect(early.text("error.message") == "Cannot publish a model that is not verified.")
                // A token gives access to it, an app's key does not.
                #expect(try await client.info("staging").headers[.eTag] == sha256(fakeModel(1)))
                #expect(try await client.info(nil).status == 404)
                #expect(try await client.info("staging", key: test.apiKey).status == 404)
                _ = try await client.send(.post, "\(Self.details):promote", json: [String: Int]())
                _ = try await client.setPublished(true, String(id))
                #expect(try await client.info(nil, key: test.apiKey).headers[.eTag] == sha256(fakeModel(1)))
                let again = try await client.send(.post, "\(Self.details):promote", json: [String: Int]())
                #expect(again.status == 400)
                #expect(
                    again.text("error.message")
                        == "No version of plants is staged; name the version to serve, such as `sightline hub promote plants 1`, or stage one."
                )
            }
        }
    }

    @Test func anUpdateOfFirebasesAdminSDKIsServedAtOnceAndLeavesTheStagedVersion() async throws {
        try await withModel { test, client in
            _ = try await client.addVersion(fakeModel(2))
            _ = try await client.send(.put, "\(Self.details)/aliases/staging", json: ["version": 2])
            let id = try #require(
                try await client.send(.get, Self.details).text("model.name")?.split(separator: "/").last
            )
            let uri = try await client.upload(fakeModel(3), as: "3.tflite")
            let body = ["tfliteModel": ["gcsTfliteUri": uri]]
            _ = try await client.send(.patch, "\(TestClient.models)/\(id)", json: body)
            #expect(try await client.info(nil, key: test.apiKey).headers[.eTag] == sha256(fakeModel(3)))
            #expect(try await client.info("staging", key: test.apiKey).headers[.eTag] == sha256(fakeModel(2)))
        }
    }

    @Test func theSameBytesAreNoNewVersion() async throws {
        try await withModel { test, client in
            #expect(try await client.addVersion(fakeModel(1)) == 1)
            #expect(try await client.addVersion(fakeModel(2)) == 2)
            #expect(try await client.addVersion(fakeModel(2)) == 2)
            let versions = try await client.send(.get, Self.details).value("versions") as? [[String: Any]]
            #expect(versions?.count == 2)
            #expect((versions?.first?["actor"] as? String)?.hasSuffix("(test)") == true)
        }
    }

    @Test func aFileThatIsNoModelIsNoVersion() async throws {
        try await withModel { test, client in
            let etag = try await client.send(.get, Self.details).text("model.etag")
            let uri = try await client.upload(Data("no model".utf8), as: "no.tflite")
            for uri in [uri, "gs://my-plants.appspot.com/missing", "https://example.org/model.tflite"] {
                let reply = try await client.send(.post, "\(Self.details)/versions", json: ["gcsTfliteUri": uri])
                #expect(reply.status == 400, "\(uri)")
            }
            let other = "/hub/v1/projects/my-plants/models/other/versions"
            #expect(try await client.send(.post, other, json: ["gcsTfliteUri": uri]).status == 400)
            #expect(try await client.send(.get, Self.details).text("model.etag") == etag)
            #expect(try await test.hub.records.model(named: "other", of: TestHub.project) == nil)
        }
    }

    @Test func downloadsCountForTheirVersion() async throws {
        try await withModel { test, client in
            _ = try await client.addVersion(fakeModel(2))
            _ = try await client.send(.put, "\(Self.details)/aliases/staging", json: ["version": 2])
            for alias in [nil, "staging", nil] {
                let info = try await client.info(alias, key: test.apiKey)
                _ = try await client.send(.get, try requestTarget(info.text("downloadUri")), token: .some(nil))
            }
            for _ in 0..<2 {
                let versions = try await client.send(.get, Self.details).value("versions") as? [[String: Any]]
                #expect(versions?.map { $0["downloads"] as? Int } == [1, 2])
                try await test.hub.downloads.store(in: test.hub.records, at: test.clock.now)
            }
        }
    }

    @Test func theFileOfAStagedVersionOutlivesItsUpload() async throws {
        try await withModel { test, client in
            _ = try await client.addVersion(fakeModel(2))
            _ = try await client.send(.put, "\(Self.details)/aliases/staging", json: ["version": 2])
            _ = try await client.send(.delete, "/storage/v1/b/my-plants.appspot.com/o/version.tflite")
            test.clock.advance(by: .seconds(40 * 24 * 3600))
            _ = try await test.hub.cleanUp()
            let info = try await client.info("staging", key: test.apiKey)
            let target = try requestTarget(info.text("downloadUri"))
            #expect(try await client.send(.get, target, token: .some(nil)).body == fakeModel(2))
            #expect(try await test.hub.verify().problems == [])
        }
    }

    @Test func readersChangeNothing() async throws {
        try await withModel { test, client in
            let uri = try await client.upload(fakeModel(2))
            let changes: [(HTTPRequest.Method, String, [String: Any])] = [
                (.post, "/versions", ["gcsTfliteUri": uri]), (.patch, "/versions/1", ["confidenceThreshold": 0.5]),
                (.put, "/aliases/beta", ["version": 1]), (.delete, "/aliases/beta", [:]),
                (.post, ":promote", ["version": 1]),
            ]
            for (method, path, body) in changes {
                for (token, status) in [(test.reader, 403), (test.stranger, 403)] {
                    let reply = try await client.send(method, Self.details + path, json: body, token: token)
                    #expect(reply.status == status, "\(method) \(path)")
                }
                let reply = try await client.send(method, Self.details + path, json: body, token: .some(nil))
                #expect(reply.status == 401, "\(method) \(path)")
            }
        }
    }
}

extension TestClient {
    /// Uploads a file and makes it a version of the model "plants"; gives its number.
    func addVersion(_ file: Data) async throws -> Int? {
        let uri = try await upload(file, as: "version.tflite")
        let target = "/hub/v1/projects/my-plants/models/plants/versions"
        let reply = try await send(.post, target, json: ["gcsTfliteUri": uri])
        #expect(reply.status == 200)
        return reply.value("version") as? Int
    }

    /// The hub's description of a version of the model "plants", with an app's key or with the token.
    fileprivate func info(
        _ alias: String?,
        key: String? = nil,
        _ headers: HTTPFields = HTTPFields()
    ) async throws -> TestReply {
        var headers = headers
        if let key { headers[.apiKey] = key }
        let target = "\(Self.models)/plants:download" + (alias.map { "?alias=\($0)" } ?? "")
        return try await send(.get, target, headers: headers, token: key == nil ? nil : .some(nil))
    }
}

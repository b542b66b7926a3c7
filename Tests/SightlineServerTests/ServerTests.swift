import Foundation
import HTTPTypes
import Sightline
import SightlineTestSupport
import SightlineTesting
import Testing

@testable import SightlineServer

@Suite(.hangLimit)
struct ServerTests {
    @Test func theModelsDescribeThemselves() async throws {
        struct Models: Decodable {
            struct Model: Decodable {
                struct Tensor: Decodable { let shape: [Int] }
                let name, kind, version, sha256, source: String
                let labels: [String]
                let inputs: [Tensor]
            }
            let models: [Model]
        }
        try await TestServer.with { server in
            let models = try await server.send(.get, "/v1/models").json(Models.self).models
            #expect(models.map(\.name) == ["blocks", "colors"])
            #expect(models.map(\.kind) == ["detection", "labeling"])
            #expect(models.map(\.labels) == [["red", "green", "blue"], ["red", "green", "blue"]])
            #expect(models.map { $0.inputs.map(\.shape) } == [[[1, 64, 64, 3]], [[1, 8, 8, 3]]])
            #expect(models.allSatisfy { $0.sha256.hasPrefix($0.version) && $0.sha256.count == 64 })
        }
    }

    @Test func healthReadinessAndMetricsAnswer() async throws {
        try await TestServer.with { server in
            _ = try await server.send(.post, "/v1/detect", try TestScene.two.png())
            #expect(try await server.send(.get, "/healthz").text == #"{"status":"alive"}"#)
            #expect(try await server.send(.get, "/readyz").text == #"{"status":"ready"}"#)
            let metrics = try await server.send(.get, "/metrics").text
            #expect(metrics.contains(#"serve_pictures_total{outcome="answered"} 1"#))
            #expect(metrics.contains("serve_pictures_waiting 0.0"))
        }
    }

    @Test func withATokenOnlyItsOwnersAsk() async throws {
        let token = "0123456789abcdef"
        try await TestServer.with(token: token) { server in
            let picture = try TestScene.two.png()
            for target in ["/v1/detect", "/v1/label", "/v1/annotate"] {
                let reply = try await server.send(.post, target, picture)
                #expect(reply.status == 401)
                #expect(reply.headers[.wwwAuthenticate] == "Bearer")
                let wrong = try await server.send(
                    .post,
                    target,
                    picture,
                    headers: [.authorization: "Bearer 0123456789abcdeg"]
                )
                #expect(wrong.status == 401)
                let right = try await server.send(.post, target, picture, headers: [.authorization: "Bearer \(token)"])
                #expect(right.status == 200)
            }
            #expect(try await server.send(.get, "/v1/models").status == 401)
            #expect(try await server.send(.get, "/healthz").status == 200)
            #expect(try await server.send(.get, "/").status == 200)
        }
    }

    @Test func clientsThatGuessTokensAreRefusedForAWhileAndOwnersOfTheTokenAreNot() async throws {
        let token = "0123456789abcdef"
        try await TestServer.with(token: token) { server in
            var statuses: Set<Int> = []
            // On a busy machine guesses are forgiven while others are made.
            for number in 0..<500 where !statuses.contains(429) {
                let headers: HTTPFields = [.authorization: "Bearer guess-\(number)"]
                statuses.insert(try await server.send(.get, "/v1/models", headers: headers).status)
            }
            #expect(statuses == [401, 429])
            let right = try await server.send(.get, "/v1/models", headers: [.authorization: "Bearer \(token)"])
            #expect(right.status == 200)
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, "/v1/detect", 405), (.delete, "/v1/models", 405), (.get, "/v1/anything", 404),
        (.get, "/console", 404), (.post, "/", 405),
    ])
    func otherAddressesAndMethodsAreRefused(_ method: HTTPRequest.Method, _ target: String, _ status: Int) async throws
    {
        try await TestServer.with { server in
            let reply = try await server.send(method, target)
            #expect(reply.status == status)
            #expect(reply.error != nil)
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, "/v1/detect", "POST"), (.get, "/v1/vision/detection", "POST"),
        (.post, "/v1/models", "GET, HEAD"), (.get, "/v2/models/blocks/infer", "POST"),
    ])
    func anAddressNamesTheMethodsThatItTakes(method: HTTPRequest.Method, target: String, methods: String) async throws {
        try await TestServer.with { server in
            let reply = try await server.send(method, target)
            #expect(reply.status == 405 && reply.headers[.allow] == methods)
            let first = try #require(methods.split(separator: ",").first)
            #expect(reply.string("error")?.contains("takes \(first)") == true, "\(reply.text)")
        }
    }

    @Test func everyMetricIsExplained() async throws {
        try await TestServer.with { server in
            _ = try await server.send(.post, "/v1/detect", try TestScene.two.png())
            let lines = try await server.send(.get, "/metrics").text.split(separator: "\n")
            func names(_ kind: String) -> [Substring] {
                lines.filter { $0.hasPrefix("# \(kind) ") }.map { $0.split(separator: " ")[2] }
            }
            #expect(names("TYPE").count >= 5 && names("TYPE") == names("HELP"))
        }
    }

    @Test func thePageLoadsItsOwnFilesAlone() async throws {
        try await TestServer.with { server in
            let page = try await server.send(.get, "/")
            #expect(page.text.contains("Drop a photo"))
            #expect(page.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; script-src 'self'") == true)
            for match in page.text.matches(of: /(?:src|href)="(page\/[^"]+)"/) {
                #expect(try await server.send(.get, "/\(match.1)").status == 200)
            }
        }
    }

    @Test func everyRouteIsDescribed() async throws {
        struct Description: Decodable {
            struct Operation: Decodable { let operationId: String }
            let openapi: String
            let paths: [String: [String: Operation]]
        }
        try await TestServer.with { server in
            let description = try await server.send(.get, "/openapi.json").json(Description.self)
            #expect(description.openapi == "3.1.0")
            let described = Set(description.paths.flatMap { path, methods in methods.keys.map { "\($0) \(path)" } })
            let routed = AnswerAPI.routes(of: server.service, token: nil).routes.filter { $0.describedBy != nil }
            #expect(described.isSuperset(of: ["post /v1/detect", "post /v1/label", "get /v1/models", "get /metrics"]))
            #expect(described.count >= Set(routed.map(\.describedPath)).count)
            let names = description.paths.values.flatMap { $0.values.map(\.operationId) }
            #expect(Set(names).count == names.count)
        }
    }
}

import Foundation
import HTTPServing
import HTTPTypes
import Sightline
import SightlineTestSupport
import SightlineTesting
import Testing

@testable import SightlineServer

/// Pages of other sites, in a browser that reaches the server.
@Suite(.hangLimit)
struct WebPageTests {
    private static let fetchSite = HTTPField.Name.named("sec-fetch-site")

    @Test(
        arguments: [
            [fetchSite: "cross-site"], [fetchSite: "same-site"], [.origin: "https://example.org"], [.origin: "null"],
            [.origin: "http://localhost:1"], [fetchSite: "cross-site", .origin: "http://localhost"],
        ] as [HTTPFields]
    )
    func noAddressChangesOrComputesForAPageOfAnotherSite(headers: HTTPFields) async throws {
        try await TestServer.with { server in
            let routes = AnswerAPI.routes(of: server.service, token: nil).routes
            let targets = routes.filter { $0.method == .post && $0.access != .everybody }
            #expect(targets.count >= 14)
            for route in targets {
                let target = route.describedPath.replacing("{model}", with: "blocks").replacing("{version}", with: "1")
                    .replacing("{picture}", with: "a")
                var headers = headers
                headers[.contentType] = "text/plain"
                let reply = try await server.send(.post, target, try TestScene.two.png(), headers: headers)
                #expect(reply.status == 403, "\(target): \(reply.text)")
            }
            // Such a page may look whether the server is there, but reads nothing.
            let health = try await server.send(.get, "/healthz", headers: headers)
            #expect(health.status == 200 && health.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test func theServersOwnPageAndProgramsAreAnswered() async throws {
        try await TestServer.with { server in
            let port = try #require(server.client.port)
            let picture = try TestScene.two.png()
            for fields in [
                "Sec-Fetch-Site: same-origin\r\nOrigin: http://localhost:\(port)", "Sec-Fetch-Site: none",
                "Origin: http://localhost:\(port)", "Accept: */*",
            ] {
                let head =
                    "POST /v1/detect HTTP/1.1\r\nHost: localhost:\(port)\r\n\(fields)\r\nContent-Length: \(picture.count)\r\n\r\n"
                let reply = try await RawConnection.reply(to: Data(head.utf8) + picture, port: port)
                #expect(reply.hasPrefix("HTTP/1.1 200"), "\(fields): \(reply)")
            }
        }
    }

    @Test(arguments: ["/setup", "/predict", "/webhook", "/v1/outcomes", "/api/v1/vision/labels"])
    func jsonMustSayThatItIsJSON(target: String) async throws {
        try await TestServer.with { server in
            for type in ["text/plain", "application/x-www-form-urlencoded", nil] {
                var headers = HTTPFields()
                headers[.contentType] = type
                let reply = try await server.send(.post, target, Data("{}".utf8), headers: headers)
                #expect(reply.status == 415 && reply.string("error")?.contains("application/json") == true)
            }
        }
    }

    /// The status of a request with a name of the server in Host.
    private func status(_ host: String, _ target: String, _ server: TestServer) async throws -> String {
        let port = try #require(server.client.port)
        let head = "GET \(target) HTTP/1.1\r\nHost: \(host.replacing("PORT", with: "\(port)"))\r\n\r\n"
        let reply = try await RawConnection.reply(to: Data(head.utf8), port: port)
        return String(reply.dropFirst("HTTP/1.1 ".count).prefix(3))
    }

    @Test(arguments: [
        "localhost:PORT", "127.0.0.1:PORT", "127.0.0.2", "[::1]:PORT", "LOCALHOST", "a.localhost:PORT", "nas.local",
    ])
    func aServerOnLoopbackAnswersToItsNames(host: String) async throws {
        try await TestServer.with(connections: { $0.names = ["NAS.local"] }) { server in
            for target in ["/v1/models", "/metrics"] {
                let status = try await status(host, target, server)
                #expect(status == "200")
            }
        }
    }

    @Test(arguments: [
        "rebound.example.org:PORT", "rebound.example.org", "127.0.0.1.example.org", "localhost.example.org",
        "notlocalhost",
        "192.0.2.1", "[2001:db8::1]", "0.0.0.0",
    ])
    func aPageWhoseHostClaimsToBeThisMachineLearnsNothing(host: String) async throws {
        try await TestServer.with { server in
            for target in ["/v1/models", "/metrics", "/", "/openapi.json"] {
                let status = try await status(host, target, server)
                #expect(status == "403")
            }
        }
        // The token protects the rest, whatever the name.
        try await TestServer.with(token: "a-token-of-many-letters") { server in
            let (metrics, health) = (
                try await status(host, "/metrics", server), try await status(host, "/healthz", server)
            )
            #expect(metrics == "403" && health == "200")
        }
    }
}

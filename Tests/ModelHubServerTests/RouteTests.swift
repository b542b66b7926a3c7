import Foundation
import HTTPServing
import HTTPTypes
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct RouteTests {
    private static let project = "/v1/projects/\(TestHub.project)"

    private static func table(of hub: Hub) -> RouteTable {
        HubAPI.routes(
            of: hub,
            server: HTTPService.Options(),
            files: FileResponder(sendings: nil),
            metrics: HubMetrics(),
            guesses: GuessLimiter()
        )
    }

    @Test(arguments: [
        (HTTPRequest.Method.post, "\(TestClient.models)/plants:download"), (.delete, "/files/a/b"),
        (.patch, "\(project)/remoteConfig"), (.post, "\(project)/namespaces/firebase-server/serverRemoteConfig"),
        (.get, "\(project)/namespaces/firebase:fetch"), (.put, "/storage/v1/b/my-plants.appspot.com/o/a/b"),
    ])
    func aKnownAddressRejectsOtherMethods(_ method: HTTPRequest.Method, _ target: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(method, target)
                #expect(reply.status == 405)
                let allowed = try #require(reply.headers[.allow])
                #expect(!allowed.isEmpty && !allowed.components(separatedBy: ", ").contains(method.rawValue))
                #expect(reply.text("error.message")?.contains(allowed.replacing(", ", with: " or ")) == true)
            }
        }
    }

    @Test(arguments: [
        "/", "/v1", "\(project)/anything", "\(TestClient.models)/a/b", "/hub/v1/projects/\(TestHub.project)/anything",
        "/upload/anything", "/storage/v1/b/my-plants.appspot.com/anything", "/token", "/healthz/a", "/anything",
    ])
    func anUnknownAddressIsNotFound(_ target: String) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(.get, target)
                #expect(reply.status == 404)
                #expect(reply.text("error.status") == "NOT_FOUND")
            }
        }
    }

    @Test(arguments: [
        ("/storage/v1/b/a", 401), ("\(project)/installations/a/b", 403), ("/console/anything", 303),
        ("\(TestClient.models)/1", 401),
    ])
    func withoutAccessAnAddressDoesNotTellWhetherItExists(_ target: String, _ status: Int) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(.get, target, token: .some(nil))
                #expect(reply.status == status)
            }
        }
    }

    @Test func aBrowserAtTheRootIsLedToTheConsole() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let accepted = "text/html,application/xhtml+xml,*/*;q=0.8"
                let browser = try await client.send(.get, "/", headers: [.accept: accepted], token: .some(nil))
                #expect(browser.status == 303 && browser.headers[.location] == "/console")
                for accepted in ["application/json", "*/*"] {
                    let program = try await client.send(.get, "/", headers: [.accept: accepted], token: .some(nil))
                    #expect(program.status == 404 && program.text("error.status") == "NOT_FOUND")
                }
            }
        }
    }

    @Test func theColonOfAVerbMayBeEscaped() async throws {
        try await TestHub.with { test in
            let key = test.apiKey
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                let target = "\(TestClient.models)/plants%3Adownload?key=\(key)"
                #expect(try await client.send(.get, target, token: .some(nil)).status == 200)
            }
        }
    }

    @Test func escapesThatHideARouteFromAProxyReachNoRoute() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.send(.get, "/%6detrics")
                #expect(reply.status == 404)
            }
        }
    }

    /// The other connections of an event loop wait for a quick route, so its handler must not wait for a disk: it answers from
    /// memory, and the stores read elsewhere. A route that is added here has to be such a route.
    @Test func onlyTheseRoutesAreAnsweredOnTheEventLoop() async throws {
        try await TestHub.with { test in
            let table = Self.table(of: test.hub)
            let quick = Set(table.routes.filter { $0.kind.isQuick }.map(\.path.description))
            #expect(
                quick == [
                    "/healthz", "/files/{hash}/{name}", "/v1beta2/projects/{project}/models/{model}:download",
                    "/v1beta2/projects/{project}/models/{model}:manifest",
                    "/v1/projects/{project}/namespaces/firebase:fetch",
                ]
            )
        }
    }

    /// A page of another site may send these requests and read the responses. A route that is added here has to need a key,
    /// a token or a signature that the page cannot know.
    @Test func pagesOfOtherSitesReachOnlyTheseRoutes() async throws {
        try await TestHub.with { test in
            let table = Self.table(of: test.hub)
            let open = Set(table.routes.filter { $0.kind.isOpenToOtherSites }.map(\.path.description))
            #expect(
                open == [
                    "/files/{hash}/{name}", "/v1beta2/projects/{project}/models/{model}:download",
                    "/v1beta2/projects/{project}/models/{model}:manifest", "/v1/projects/{project}/installations",
                    "/v1/projects/{project}/installations/{installation}",
                    "/v1/projects/{project}/installations/{installation}/authTokens:generate",
                    "/v1/projects/{project}/namespaces/firebase:fetch",
                    "/v1/projects/{project}/namespaces/firebase:streamFetchInvalidations",
                ]
            )
            let prefixes = table.fallbacks.filter { $0.kind.isOpenToOtherSites }.map {
                $0.prefix.joined(separator: "/")
            }
            #expect(prefixes == ["files", "v1/projects/*/installations"])
        }
    }

    /// Each area is a label of a metric, so there are few of them and clients cannot make more.
    @Test func requestsCountInTheAreasOfTheRoutes() async throws {
        try await TestHub.with { test in
            #expect(
                Self.table(of: test.hub).areas == [
                    "v1beta2", "files", "v1", "upload", "storage", "resumable", "download", "hub", "token",
                    "device_authorization", "revoke", "healthz",
                    "readyz", "metrics", "openapi.json", "console", "o", "oauth2",
                ]
            )
            try await test.serve { client in
                for target in ["/files/a/b", "/hub/v1/anything", "/anything", "/"] {
                    _ = try await client.send(.get, target, token: .some(nil))
                }
                let metrics = try await client.send(.get, "/metrics", token: .some(nil))
                let lines = String(decoding: metrics.body, as: UTF8.self).split(separator: "\n")
                #expect(lines.contains(#"hub_requests_total{area="files",method="GET",status="403"} 1"#))
                #expect(lines.contains(#"hub_requests_total{area="hub",method="GET",status="404"} 1"#))
                #expect(lines.contains(#"hub_requests_total{area="other",method="GET",status="404"} 2"#))
            }
        }
    }
}

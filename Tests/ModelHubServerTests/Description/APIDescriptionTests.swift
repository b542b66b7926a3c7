import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The description at /openapi.json beside the routes.
@Suite(.hangLimit)
struct APIDescriptionTests {
    /// Calls `body` with the description, the routes that are not pages of the console, and a client.
    private func withDescription(
        _ body: @escaping @Sendable (APIDescription, [ModelHubServer.Route], TestClient) async throws -> Void
    ) async throws {
        try await TestHub.with { test in
            let table = HubAPI.routes(
                of: test.hub,
                server: .patient,
                files: FileResponder(sendings: nil),
                metrics: HubMetrics(),
                guesses: GuessLimiter()
            )
            let routes = table.routes.filter { route in
                if case .console = route.access { return false }
                let path = route.describedPath
                return path != "/" && !path.hasPrefix("/console")
            }
            try await test.serve { client in
                let reply = try await client.send(.get, "/openapi.json", token: .some(nil))
                #expect(reply.status == 200)
                #expect(reply.headers[.contentType] == "application/json; charset=UTF-8")
                try await body(try APIDescription(reply.body), routes, client)
            }
        }
    }

    @Test func everyRouteIsDescribedAndTheReverse() async throws {
        try await withDescription { description, routes, client in
            let routed = Set(routes.map(\.describedPath))
            let described = Set(description.operations.map(\.path))
            #expect(described.subtracting(routed).sorted() == [])
            #expect(routed.subtracting(described).sorted() == [])
            // A route with a role responds to its methods. Other routes may refuse methods, which the description then
            // lacks.
            for route in routes {
                let path = route.describedPath
                guard !description.operations.contains(where: { $0.path == path && $0.method == route.method }) else {
                    continue
                }
                #expect(route.access == .ofHandler(.nothing), "\(route.method) \(path) is not described")
                // HEAD is GET without a body, and the checks of health respond to every method.
                guard ![.head, .options, .connect, .trace].contains(route.method), path != "/healthz", path != "/readyz"
                else { continue }
                let named = path.replacing("{project}", with: TestHub.project)
                let target = named.replacing("{bucket}", with: "\(TestHub.project).appspot.com")
                    .replacing(/\{[^}]*\}/, with: "x1")
                let reply = try await client.sendAlone(route.method, target)
                #expect(reply.status == 405, "\(route.method) \(path) is not described")
            }
            let methods = Set(routes.map { "\($0.method) \($0.describedPath)" })
            for operation in description.operations {
                #expect(methods.contains("\(operation.method) \(operation.path)"))
            }
        }
    }

    @Test func everyOperationNamesTheRoleOfItsRoute() async throws {
        try await withDescription { description, routes, _ in
            for operation in description.operations {
                let route = try #require(
                    routes.first { $0.describedPath == operation.path && $0.method == operation.method }
                )
                let expected: [[String: [String]]]
                switch route.access {
                case .project(let role): expected = [["token": [role.rawValue]]]
                case .hub(let role): expected = [["token": role.map { ["hub \($0.rawValue)"] } ?? []]]
                case .ofHandler, .console: continue
                }
                #expect(operation.security == expected, "\(operation.id)")
            }
        }
    }

    @Test func theDescriptionIsComplete() async throws {
        try await withDescription { description, _, client in
            #expect(description.schema.value(at: "#/openapi") as? String == "3.1.0")
            let ids = description.operations.map(\.id)
            #expect(Set(ids).count == ids.count)
            for operation in description.operations {
                #expect(operation.hasSummary && operation.security != nil, "\(operation.id)")
                let inPath = operation.path.matches(of: /\{([^}]*)\}/).map { "\($0.1) in path" }
                let declared = operation.parameters.filter { $0.hasSuffix(" in path") }
                #expect(Set(inPath) == declared, "\(operation.id)")
            }
            let text = String(decoding: try await client.send(.get, "/openapi.json").body, as: UTF8.self)
            let references = Set(text.matches(of: /"\$ref":"([^"]*)"/).map { String($0.1) })
            for reference in references { #expect(description.schema.value(at: reference) != nil, "\(reference)") }
            let schemas = try #require(description.schema.value(at: "#/components/schemas") as? [String: Any])
            for name in schemas.keys { #expect(references.contains("#/components/schemas/\(name)"), "\(name)") }
        }
    }
}

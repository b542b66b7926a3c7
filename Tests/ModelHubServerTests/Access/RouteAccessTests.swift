import Foundation
import HTTPServing
import HTTPTypes
import HubTestSupport
import Hummingbird
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Every route, asked by every kind of caller.
@Suite(.hangLimit)
struct RouteAccessTests {
    /// The routes of a hub.
    private static func routes(of hub: Hub) -> [ModelHubServer.Route] {
        HubAPI.routes(
            of: hub,
            server: .patient,
            files: FileResponder(sendings: nil),
            metrics: HubMetrics(),
            guesses: GuessLimiter()
        ).routes
    }

    /// The path of a route in the tests' project; other names stand for things that do not exist.
    private static func target(_ route: ModelHubServer.Route) -> String {
        let path = route.path.description.replacing("{project}", with: TestHub.project)
        let filled = path.replacing(/\{[^}]*\}/, with: "x1").replacing("**", with: "x1")
        return filled.hasPrefix("/") ? filled : "/" + filled
    }

    /// The role that each route needs. A changed line opens or closes a door.
    @Test func everyRouteNeedsThePinnedRole() async throws {
        try await TestHub.with { test in
            let lines = Self.routes(of: test.hub).filter { $0.method != .head }.compactMap { route -> String? in
                let access: String
                switch route.access {
                case .ofHandler: return nil
                case .project(let role): access = role.rawValue
                case .hub(let role): access = "hub \(role?.rawValue ?? "anybody")"
                case .console(let role): access = "console \(role.rawValue)"
                }
                let path = route.path.description
                return "\(route.method) \(path.hasPrefix("/") ? path : "/" + path): \(access)"
            }
            let pinned = try String(contentsOf: TestData.fixture("routes.txt"), encoding: .utf8)
            #expect(lines.sorted() == pinned.split(separator: "\n").map(String.init).sorted())
        }
    }

    /// A caller, and the roles in the project of the path and in the hub.
    private struct Visitor {
        var name: String
        var token: String?
        var role: Role?
        var hubRole: Role?
        /// Whether the token is right.
        var isKnown = true
    }

    private static func visitors(_ test: TestHub) async throws -> [Visitor] {
        let project = try await test.hub.testProject()
        let other = try await test.hub.testProject("other-project")
        func token(_ role: Role, _ project: Project, lifetime: Duration? = nil) async throws -> IssuedCredential {
            var plan = CredentialPlan(.token, role: role, name: "visitor", owner: .project(project.id))
            plan.lifetime = lifetime
            return try await test.hub.createCredential(plan, by: .local)
        }
        var visitors = [
            Visitor(name: "nobody", token: nil, isKnown: false),
            Visitor(name: "wrong token", token: "slt_wrong", isKnown: false),
            Visitor(name: "API key as a token", token: test.apiKey, isKnown: false),
        ]
        for role in Role.ofProjects {
            visitors.append(Visitor(name: role.rawValue, token: try await token(role, project).secret, role: role))
        }
        visitors.append(Visitor(name: "other owner", token: try await token(.owner, other).secret))
        for role in [Role.viewer, .administrator] {
            let plan = CredentialPlan(.token, role: role, name: "everywhere", owner: .hub)
            let secret = try await test.hub.createCredential(plan, by: .local).secret
            visitors.append(Visitor(name: "hub \(role.rawValue)", token: secret, role: role, hubRole: role))
        }
        let revoked = try await token(.owner, project)
        try await test.hub.revoke(revoked.credential.id, of: project)
        visitors.append(Visitor(name: "revoked", token: revoked.secret, isKnown: false))
        let expired = try await token(.owner, project, lifetime: .seconds(60))
        test.clock.advance(by: .seconds(61))
        visitors.append(Visitor(name: "expired", token: expired.secret, isKnown: false))
        return visitors
    }

    @Test func everyRouteRefusesWhoMayNotPass() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.rateLimit = nil
            let visitors = try await Self.visitors(test)
            let routes = Self.routes(of: test.hub)
            try await test.serve(options) { client in
                // A project with models cannot be deleted.
                _ = try await client.publish("plants", file: fakeModel())
                for route in routes {
                    for visitor in visitors {
                        let expected: Set<Int>
                        switch route.access {
                        case .project(let needed):
                            let isOwn = !route.path.description.contains("{project}")
                            if !visitor.isKnown {
                                expected = [401]
                            } else if isOwn, visitor.role == nil || visitor.hubRole != nil {
                                // Another project is meant, or none of several.
                                continue
                            } else {
                                expected = visitor.role.map { $0 >= needed } == true ? [] : [403]
                            }
                        case .hub(let needed):
                            guard visitor.isKnown else {
                                expected = [401]
                                break
                            }
                            let isAllowed = needed == nil || visitor.hubRole.map { $0 >= (needed ?? .viewer) } == true
                            expected = isAllowed ? [] : [403]
                        case .ofHandler, .console: continue
                        }
                        let reply = try await client.send(
                            route.method,
                            Self.target(route),
                            headers: [.contentType: "application/json"],
                            body: [.get, .head, .delete].contains(route.method) ? nil : Data("[]".utf8),
                            token: .some(visitor.token)
                        )
                        let text: Comment =
                            "\(route.method) \(route.path.description) as \(visitor.name): \(reply.status)"
                        if expected.isEmpty {
                            #expect(reply.status != 401 && reply.status != 403 && reply.status < 500, text)
                        } else {
                            #expect(expected.contains(reply.status), text)
                        }
                    }
                }
            }
        }
    }

    @Test func everyPageRefusesWhoMayNotPass() async throws {
        try await TestHub.with { test in
            var options = HTTPService.Options.patient
            options.rateLimit = nil
            let routes = Self.routes(of: test.hub)
            try await test.serve(options) { client in
                _ = try await client.publish("plants", file: fakeModel())
                let visitors = try await Self.visitors(test)
                var browsers: [(visitor: Visitor, browser: ConsoleClient, form: String)] = []
                for visitor in visitors where visitor.isKnown && visitor.role != nil {
                    let browser = try await ConsoleClient.signedIn(client, try #require(visitor.token))
                    var form = ""
                    if visitor.hubRole != nil {
                        // The first project by its id is shown: my-plants.
                        #expect(try await browser.get("/console/models").text.contains(TestHub.project))
                    }
                    form = try await browser.formToken()
                    browsers.append((visitor, browser, form))
                }
                let anybody = ConsoleClient(client: client)
                for route in routes {
                    guard case .console(let needed) = route.access, route.method != .head else { continue }
                    let target = Self.target(route)
                    if route.method == .get {
                        #expect(try await anybody.get(target).status == 303, "\(target)")
                    } else {
                        #expect(try await anybody.send(target, [:]).status == 401, "\(target)")
                    }
                    for (visitor, browser, form) in browsers where visitor.role.map({ $0 < needed }) == true {
                        let reply =
                            route.method == .get
                            ? try await browser.get(target) : try await browser.send(target, ["form_token": form])
                        let text: Comment = "\(route.method) \(target) as \(visitor.name)"
                        #expect(reply.status == 403, text)
                        #expect(reply.text.contains("This needs the role"), text)
                    }
                    for (visitor, browser, _) in browsers where visitor.role.map({ $0 >= needed }) == true {
                        // Without the form's token nothing is changed.
                        let reply =
                            route.method == .get ? try await browser.get(target) : try await browser.send(target, [:])
                        let text: Comment = "\(route.method) \(target) as \(visitor.name): \(reply.status)"
                        #expect(reply.status < 500 && !reply.text.contains("This needs the role"), text)
                        #expect(route.method == .get || [400, 403, 404, 413].contains(reply.status), text)
                    }
                }
            }
        }
    }

    /// The requests of apps and of storage, and one that is open to all.
    @Test(arguments: [
        ("POST /upload/storage/v1/b/my-plants.appspot.com/o?uploadType=media&name=x", 401, 403, 200),
        ("DELETE /storage/v1/b/my-plants.appspot.com/o/none", 401, 403, 404),
        ("GET /storage/v1/b/my-plants.appspot.com/o/none", 401, 404, 404),
        ("POST /hub/v1/projects/my-plants/outcomes", 403, 403, 400),
        ("GET /v1beta2/projects/my-plants/models/none:download", 403, 404, 404),
        ("POST /v1/projects/my-plants/namespaces/firebase:fetch", 403, 200, 200),
        ("POST /v1/projects/my-plants/installations", 403, 403, 403), ("GET /healthz", 200, 200, 200),
    ])
    func appsAndStorageNeedTheirOwnAccess(
        _ request: String,
        _ nobody: Int,
        _ viewer: Int,
        _ publisher: Int
    ) async throws {
        try await TestHub.with { test in
            let parts = request.split(separator: " ")
            let method = try #require(HTTPRequest.Method(String(parts[0])))
            try await test.serve { client in
                let visitors = [(nil, nobody), (test.reader, viewer), (test.publisher, publisher)]
                for (token, status) in visitors {
                    let body = method == .post ? Data("{}".utf8) : nil
                    let reply = try await client.send(method, String(parts[1]), body: body, token: .some(token))
                    #expect(reply.status == status, "\(request): \(reply.text)")
                }
            }
        }
    }
}

import Foundation
import HTTPTypes
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// People, their roles and their tokens.
@Suite(.hangLimit)
struct PersonTests {
    private static let people = "/hub/v1/projects/\(TestHub.project)/people"

    /// The session of a person, as a client of the console.
    private static func signIn(
        _ address: String,
        _ test: TestHub,
        _ client: TestClient,
        by identity: Identity = .local
    ) async throws -> ConsoleClient {
        let project = identity.isAdministrator ? nil : try await test.hub.testProject()
        let link = try await test.hub.makeSignInLink(for: address, in: project, by: identity)
        let code = try #require(link.split(separator: "=").last)
        let reply = try await ConsoleClient(client: client).send("/console/sign-in", ["code": String(code)])
        #expect(reply.status == 303)
        var browser = ConsoleClient(client: client)
        browser.cookie = try #require(reply.cookie)
        return browser
    }

    /// The identity of a person without a token.
    private static func person(_ address: String, _ test: TestHub) async throws -> Identity {
        try #require(try await test.hub.identity(ofPerson: address))
    }

    @Test func aPersonSignsInWithALinkAndHasTheirRole() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            _ = try await test.hub.grant(.viewer, to: "Ada@Example.com", in: project, by: .local)
            try await test.serve { client in
                let browser = try await Self.signIn("ada@example.com", test, client)
                #expect(try await browser.get("/console/models").text.contains("ada@example.com"))
                #expect(try await browser.get("/console/people").status == 403)
                // A new role counts at once.
                _ = try await test.hub.grant(.owner, to: "ada@example.com", in: project, by: .local)
                #expect(try await browser.get("/console/people").status == 200)
                let owner = try await Self.person("ada@example.com", test)
                _ = try await test.hub.grant(.owner, to: "eve@example.com", in: project, by: owner)
                let entry = try #require(try await test.hub.records.auditLog(of: project.id, limit: 1).first)
                #expect(entry.actor == "ada@example.com" && entry.action == "person.grant")
                #expect(entry.target == "people/eve@example.com" && entry.detail == "role owner")
                try await test.hub.removeGrant(of: "ada@example.com", in: project, by: .local)
                #expect(try await browser.get("/console/models").status == 303)
                #expect(try await test.hub.records.person("ada@example.com", at: test.clock.now) == nil)
            }
        }
    }

    @Test(arguments: ["", "ada", "ada@", "@example.com", "a b@c", "<b>@c.d", "ada@exa\u{301}mple.com", "a@b@c"])
    func aNameMustLookLikeAnAddress(_ address: String) async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let error = await #expect(throws: HubError.self) {
                _ = try await test.hub.grant(.viewer, to: address, in: project, by: .local)
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func theLastOwnerAndTheLastAdministratorStay() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            for place in [project, nil] {
                let role = place == nil ? Role.administrator : .owner
                _ = try await test.hub.grant(role, to: "ada@example.com", in: place, by: .local)
                let error = await #expect(throws: HubError.self) {
                    try await test.hub.removeGrant(of: "ada@example.com", in: place, by: .local)
                }
                #expect(error?.code == .failedPrecondition)
                #expect(error?.message.contains("is the last") == true)
            }
            let error = await #expect(throws: HubError.self) {
                _ = try await test.hub.grant(.viewer, to: "ada@example.com", in: project, by: .local)
            }
            #expect(error?.code == .failedPrecondition)
            // An owner through a token is not a replacement, because that role ends.
            try await test.serve { client in
                let reply = try await client.send(.put, "\(Self.people)/bob@example.com", json: ["role": "owner"])
                #expect(reply.status == 200)
                let removal = try await client.send(.delete, "\(Self.people)/ada@example.com")
                #expect(removal.status == 400 && removal.text("error.status") == "FAILED_PRECONDITION")
            }
            _ = try await test.hub.grant(.owner, to: "eve@example.com", in: project, by: .local)
            try await test.hub.removeGrant(of: "ada@example.com", in: project, by: .local)
        }
    }

    @Test func nobodyGrantsOrTakesARoleAboveTheirOwn() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let other = try await test.hub.testProject("other-project")
            for (role, place) in [(Role.editor, project), (.owner, other)] {
                _ = try await test.hub.grant(role, to: "ada@example.com", in: place, by: .local)
            }
            _ = try await test.hub.grant(.administrator, to: "root@example.com", in: nil, by: .local)
            let ada = try await Self.person("ada@example.com", test)
            let attempts: [(Role, Project?)] = [
                (.viewer, project), (.owner, project), (.administrator, nil), (.administrator, other),
            ]
            for (role, place) in attempts {
                let error = await #expect(throws: HubError.self) {
                    _ = try await test.hub.grant(role, to: "eve@example.com", in: place, by: ada)
                }
                #expect(error?.code == .permissionDenied, "\(role)")
            }
            // An owner signs in nobody with more rights, and nobody from elsewhere.
            for address in ["root@example.com", "eve@example.com"] {
                await #expect(throws: HubError.self) {
                    _ = try await test.hub.makeSignInLink(for: address, in: other, by: ada)
                }
            }
            await #expect(throws: HubError.self) {
                _ = try await test.hub.makeSignInLink(for: "root@example.com", in: nil, by: ada)
            }
        }
    }

    @Test func whatATokenCreatesNeitherOutlivesNorOutranksIt() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let clock = test.clock
            var plan = CredentialPlan(.token, role: .owner, name: "parent", owner: .project(project.id))
            plan.lifetime = .seconds(3600)
            let parent = try await test.hub.createCredential(plan, by: .local)
            let token = try #require(parent.secret)
            let end = "\(clock.now.advanced(by: .seconds(3600)))"
            try await test.serve { client in
                let keys = "/hub/v1/projects/\(TestHub.project)/keys"
                for kind in ["token", "api-key", "service-account"] {
                    let made = try await client.send(.post, keys, json: ["name": "x", "kind": kind], token: token)
                    #expect(made.status == 200 && made.text("expireTime") == end, "\(kind)")
                    for ttl in ["7200s", "0s"] {
                        let body = ["name": "x", "kind": kind, "ttl": ttl]
                        #expect(try await client.send(.post, keys, json: body, token: token).status == 403)
                    }
                }
                let above = ["name": "x", "kind": "token", "role": "administrator"]
                #expect(try await client.send(.post, keys, json: above, token: token).status == 403)
                #expect(try await client.send(.post, "/hub/v1/keys", json: ["name": "x"], token: token).status == 403)
                #expect(try await client.send(.post, "/hub/v1/tokens", json: ["name": "x"], token: token).status == 400)

                // A person, the person's session and a grandchild end with the token.
                let granted = try await client.send(
                    .put,
                    "\(Self.people)/eve@example.com",
                    json: ["role": "owner"],
                    token: token
                )
                let roles = granted.value("roles") as? [[String: Any]]
                #expect(roles?.first?["expireTime"] as? String == end)
                let link = try await client.send(.post, "\(Self.people)/eve@example.com:createSignInLink", token: token)
                let code = try #require(link.text("path")?.split(separator: "=").last)
                let reply = try await ConsoleClient(client: client).send("/console/sign-in", ["code": String(code)])
                var browser = ConsoleClient(client: client)
                browser.cookie = try #require(reply.cookie)
                #expect(try await browser.get("/console/people").status == 200)
                let child = try await client.send(
                    .post,
                    keys,
                    json: ["name": "child", "kind": "token", "role": "owner"],
                    token: token
                )
                let childToken = try #require(child.text("secret"))
                let grandchild = try await client.send(.post, keys, json: ["name": "grandchild"], token: childToken)
                let grandchildToken = try #require(grandchild.text("secret"))
                #expect(try await client.send(.get, TestClient.models, token: grandchildToken).status == 200)
                try await test.hub.revoke(parent.credential.id, of: project)
                #expect(try await client.send(.get, TestClient.models, token: grandchildToken).status == 401)
                #expect(try await client.send(.get, TestClient.models, token: childToken).status == 401)
                #expect(try await browser.get("/console/models").status == 303)
                #expect(try await test.hub.identity(ofPerson: "eve@example.com") == nil)
            }
        }
    }

    /// Whose role a token granted creates nothing that outlives the token, even with a lasting account.
    @Test(arguments: [true, false]) func whatAGrantedRoleCreatesEndsWithTheTokenThatGrantedIt(
        isRevoked: Bool
    ) async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let own = try await test.hub.testProject("other-project")
            _ = try await test.hub.grant(.owner, to: "eve@example.com", in: own, by: .local)
            var plan = CredentialPlan(.token, role: .owner, name: "stolen", owner: .project(project.id))
            plan.lifetime = .seconds(3600)
            let stolen = try await test.hub.createCredential(plan, by: .local)
            let thief = try await test.hub.identity(bearerToken: try #require(stolen.secret))
            _ = try await test.hub.grant(.owner, to: "eve@example.com", in: project, by: thief)
            let eve = try await Self.person("eve@example.com", test)

            // In the console, without a token.
            var wish = CredentialPlan(.token, role: .owner, name: "x", owner: .project(project.id))
            let token = try await test.hub.createCredential(wish, by: eve)
            #expect(token.credential.parent == stolen.credential.id)
            #expect(token.credential.expiry == stolen.credential.expiry)
            wish.lifetime = .zero
            await #expect(throws: HubError.self) { _ = try await test.hub.createCredential(wish, by: eve) }
            for address in ["friend@example.com", "eve@example.com"] {
                let person = try await test.hub.grant(.owner, to: address, in: project, by: eve)
                #expect(person.grant(in: project.id)?.bound.credential == stolen.credential.id)
                #expect(person.grant(in: project.id)?.bound.expiry == stolen.credential.expiry)
            }
            let link = try await test.hub.makeSignInLink(for: "friend@example.com", in: project, by: eve)
            let session = try await test.hub.openSession(code: String(try #require(link.split(separator: "=").last)))

            // With a lasting token of their own, whose end the records cannot name beside the other one.
            var personal = CredentialPlan(.token, role: .owner, name: "p", owner: .person("eve@example.com"))
            personal.lifetime = .zero
            let lasting = try #require(try await test.hub.createCredential(personal, by: eve).secret)
            let withToken = try await test.hub.identity(bearerToken: lasting)
            wish.lifetime = nil
            await #expect(throws: HubError.self) { _ = try await test.hub.createCredential(wish, by: withToken) }
            await #expect(throws: HubError.self) {
                _ = try await test.hub.grant(.viewer, to: "g@example.com", in: project, by: withToken)
            }
            // The person's lasting role elsewhere is not affected.
            let theirs = CredentialPlan(.token, role: .owner, name: "t", owner: .project(own.id))
            _ = try await test.hub.createCredential(theirs, by: withToken)
            _ = try await test.hub.grant(.owner, to: "friend2@example.com", in: own, by: eve)

            if isRevoked {
                try await test.hub.revoke(stolen.credential.id, of: project)
            } else {
                test.clock.advance(by: .seconds(3601))
            }
            await #expect(throws: HubError.self) {
                _ = try await test.hub.identity(bearerToken: try #require(token.secret))
            }
            #expect(try await test.hub.identity(ofPerson: "friend@example.com") == nil)
            #expect(try await test.hub.identity(ofPerson: "eve@example.com")?.role(in: project.id) == nil)
            let found = try await test.hub.session(id: session.id, takingNotice: false)
            let user = if let found { try await test.hub.identity(of: found) } else { Identity?.none }
            #expect(user == nil)
        }
    }

    /// A token-granted administrator makes no lasting administrator.
    @Test func anAdministratorByATokenMakesNoLastingAdministrator() async throws {
        try await TestHub.with { test in
            let own = try await test.hub.testProject("other-project")
            _ = try await test.hub.grant(.owner, to: "eve@example.com", in: own, by: .local)
            let plan = CredentialPlan(.token, role: .administrator, name: "stolen", owner: .hub)
            let stolen = try await test.hub.createCredential(plan, by: .local)
            let thief = try await test.hub.identity(bearerToken: try #require(stolen.secret))
            _ = try await test.hub.grant(.administrator, to: "eve@example.com", in: nil, by: thief)
            let eve = try await Self.person("eve@example.com", test)
            _ = try await test.hub.grant(.administrator, to: "friend@example.com", in: nil, by: eve)
            let token = try await test.hub.createCredential(plan, by: eve)
            // The role in the own project lasts, although the person is an administrator only for a while.
            let lasting = CredentialPlan(.token, role: .owner, name: "t", owner: .project(own.id))
            #expect(try await test.hub.createCredential(lasting, by: eve).credential.parent == nil)
            try await test.hub.revokeCredential(stolen.credential.id, of: .hub, by: .local)
            await #expect(throws: HubError.self) {
                _ = try await test.hub.identity(bearerToken: try #require(token.secret))
            }
            #expect(try await test.hub.identity(ofPerson: "friend@example.com") == nil)
        }
    }

    @Test func aPersonalTokenNeverHasMoreRightsThanItsPerson() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let other = try await test.hub.testProject("other-project")
            _ = try await test.hub.grant(.owner, to: "root@example.com", in: project, by: .local)
            _ = try await test.hub.grant(.editor, to: "ada@example.com", in: project, by: .local)
            _ = try await test.hub.grant(.viewer, to: "ada@example.com", in: other, by: .local)
            let ada = try await Self.person("ada@example.com", test)
            func create(_ role: Role, in project: Project?, by identity: Identity) async throws -> IssuedCredential {
                var plan = CredentialPlan(.token, role: role, name: "laptop", owner: .person("ada@example.com"))
                plan.project = project?.id
                return try await test.hub.createCredential(plan, by: identity)
            }
            await #expect(throws: HubError.self) { _ = try await create(.owner, in: nil, by: ada) }
            await #expect(throws: HubError.self) { _ = try await create(.editor, in: other, by: ada) }
            await #expect(throws: HubError.self) { _ = try await create(.viewer, in: project, by: .local) }
            let whole = try #require(try await create(.editor, in: nil, by: ada).secret)
            let small = try #require(try await create(.viewer, in: other, by: ada).secret)
            // A limited token does not mint a wider one.
            let limited = try await test.hub.identity(bearerToken: small)
            await #expect(throws: HubError.self) { _ = try await create(.viewer, in: nil, by: limited) }
            await #expect(throws: HubError.self) { _ = try await create(.viewer, in: project, by: limited) }
            await #expect(throws: HubError.self) { _ = try await create(.publisher, in: other, by: limited) }
            try await test.serve { client in
                let theirs = "/v1beta2/projects/other-project/models"
                #expect(try await client.send(.get, TestClient.models, token: whole).status == 200)
                #expect(try await client.send(.post, theirs, json: ["displayName": "x"], token: whole).status == 403)
                #expect(try await client.send(.get, theirs, token: small).status == 200)
                #expect(try await client.send(.get, TestClient.models, token: small).status == 403)
                // The token follows the person's role, and a session with it is no wider.
                let browser = try await ConsoleClient.signedIn(client, small)
                #expect(try await browser.post("/console/projects/\(TestHub.project)/show").status == 403)
                let model = ["displayName": "x"]
                #expect(try await client.send(.post, TestClient.models, json: model, token: whole).status == 200)
                _ = try await test.hub.grant(.viewer, to: "ada@example.com", in: project, by: .local)
                let second = ["displayName": "y"]
                #expect(try await client.send(.post, TestClient.models, json: second, token: whole).status == 403)
                for place in [project, other] {
                    try await test.hub.removeGrant(of: "ada@example.com", in: place, by: .local)
                }
                for token in [whole, small] {
                    #expect(try await client.send(.get, theirs, token: token).status == 401)
                }
            }
        }
    }

    @Test func anOwnersLinkOpensOnlyTheirProject() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let other = try await test.hub.testProject("other-project")
            _ = try await test.hub.grant(.owner, to: "ada@example.com", in: project, by: .local)
            _ = try await test.hub.grant(.viewer, to: "bob@example.com", in: project, by: .local)
            _ = try await test.hub.grant(.owner, to: "bob@example.com", in: other, by: .local)
            let ada = try await Self.person("ada@example.com", test)
            try await test.serve { client in
                let enclosed = try await Self.signIn("bob@example.com", test, client, by: ada)
                #expect(try await enclosed.post("/console/projects/other-project/show").status == 403)
                let whole = try await Self.signIn("bob@example.com", test, client)
                #expect(try await whole.post("/console/projects/other-project/show").location == "/console/models")
                #expect(try await whole.get("/console/people").status == 200)
                #expect(try await whole.get("/console/your-sessions").text.matches(of: /End<span/).count == 2)
            }
        }
    }

    @Test func theLastUseOfAKeyIsStoredOnceAnHour() async throws {
        try await TestHub.with { test in
            let (hub, clock, key) = (test.hub, test.clock, test.apiKey)
            let project = try await hub.testProject()
            @Sendable func useTime() async throws -> Timestamp? {
                try await hub.credentialUses.store(in: hub.records)
                return try await hub.credentials(of: project).first { $0.kind == .apiKey }?.useTime
            }
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                #expect(try await useTime() == nil)
                let target = "\(TestClient.models)/plants:download?key=\(key)"
                let first = clock.now
                for _ in 0..<3 {
                    #expect(try await client.send(.get, target, token: .some(nil)).status == 200)
                    #expect(try await useTime() == first)
                    clock.advance(by: .seconds(1000))
                }
                // Also after the clock was set back.
                for seconds in [3000, -30 * 86_400] {
                    clock.advance(by: .seconds(seconds))
                    #expect(try await client.send(.get, target, token: .some(nil)).status == 200)
                    #expect(try await useTime() == clock.now)
                }
            }
        }
    }

    @Test func anExpiredKeyOpensNothing() async throws {
        try await TestHub.with { test in
            var plan = CredentialPlan(.apiKey, role: .viewer, name: "app", owner: .project(TestHub.project))
            plan.lifetime = .seconds(3600)
            let key = try #require(try await test.hub.createCredential(plan, by: .local).secret)
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                let targets: [(HTTPRequest.Method, String)] = [
                    (.get, "\(TestClient.models)/plants:download"),
                    (.post, "/v1/projects/\(TestHub.project)/namespaces/firebase:fetch"),
                    (.post, "/v1/projects/\(TestHub.project)/installations"),
                ]
                for status in [200, 403] {
                    for (method, target) in targets {
                        let body = method == .post ? Data("{}".utf8) : nil
                        let reply = try await client.send(method, "\(target)?key=\(key)", body: body, token: .some(nil))
                        #expect(reply.status == status, "\(target)")
                    }
                    test.clock.advance(by: .seconds(3601))
                }
            }
        }
    }

    @Test func listsComeInPages() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            for number in 0..<5 {
                _ = try await test.hub.grant(.viewer, to: "p\(number)@example.com", in: project, by: .local)
            }
            try await test.serve { client in
                for (path, field, id) in [
                    (Self.people, "people", "address"), ("/hub/v1/projects/my-plants/keys", "keys", "id"),
                ] {
                    var found: [String] = []
                    var token = ""
                    repeat {
                        let page = try await client.send(.get, "\(path)?pageSize=2&pageToken=\(percentEncoded(token))")
                        let entries = try #require(page.value(field) as? [[String: Any]])
                        #expect(entries.count <= 2)
                        found += entries.compactMap { $0[id] as? String }
                        token = page.text("nextPageToken") ?? ""
                    } while !token.isEmpty && found.count < 100
                    #expect(found.count == (field == "people" ? 5 : 4) && Set(found).count == found.count)
                }
            }
        }
    }
}

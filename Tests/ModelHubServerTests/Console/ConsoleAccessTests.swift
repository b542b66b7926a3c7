import Foundation
import HTTPTypes
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The console's pages about people, keys, projects and sessions.
@Suite(.hangLimit)
struct ConsoleAccessTests {
    @Test func peopleAreAddedAndGetLinks() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let project = try await test.hub.testProject()
                _ = try await test.hub.grant(.owner, to: "root@example.com", in: project, by: .local)
                let link = try await test.hub.makeSignInLink(for: "root@example.com", in: project, by: .local)
                let owner = try await ConsoleClient.signedIn(client, link: link)
                let fields = ["address": "ada@example.com", "name": "Ada <b>", "role": "publisher"]
                #expect(try await owner.post("/console/people", fields).location == "/console/people")
                let page = try await owner.get("/console/people").text
                #expect(page.contains("ada@example.com has the role publisher in my-plants."))
                #expect(page.contains("Ada &lt;b&gt;") && !page.contains("Administrators of the hub"))
                let reply = try await owner.post("/console/people/ada%40example.com/link")
                let theirs = try #require(reply.text.firstMatch(of: /\/console\/sign-in\?code=[\w\-]{43}/)).0
                #expect(reply.headers[.cacheControl] == "no-store")
                let ada = try await ConsoleClient.signedIn(client, link: String(theirs))
                #expect(try await ada.get("/console/keys").status == 403)
                #expect(try await ada.get("/console/models").text.contains("/console/tokens"))
                let raised = ["address": "ada@example.com", "role": "administrator"]
                #expect(try await owner.post("/console/people", raised).status == 403)
                #expect(try await owner.get("/console/people/ada%40example.com/remove").status == 200)
                #expect(try await owner.post("/console/people/ada%40example.com/remove").status == 303)
                #expect(try await ada.get("/console/models").status == 303)
                let last = try await owner.post("/console/people/root%40example.com/remove")
                #expect(last.status == 400 && last.text.contains("is the last owner"))
            }
        }
    }

    @Test func aNewPersonGetsALinkInTheSameStep() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let owner = try await ConsoleClient.signedIn(client, test.admin)
                let fields = ["address": "ada@example.com", "role": "viewer", "link": "yes"]
                let shown = try await owner.post("/console/people", fields)
                #expect(shown.headers[.cacheControl] == "no-store")
                #expect(shown.text.contains("ada@example.com has the role viewer in my-plants."))
                let link = try #require(shown.text.firstMatch(of: /\/console\/sign-in\?code=[\w\-]{43}/)).0
                let ada = try await ConsoleClient.signedIn(client, link: String(link))
                #expect(try await ada.get("/console/models").status == 200)
            }
        }
    }

    @Test func aKeyIsShownOnceAndRevoked() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let owner = try await ConsoleClient.signedIn(client, test.admin)
                let fields = ["name": "ci", "kind": "token", "role": "viewer", "days": "1"]
                let form = try await owner.get("/console/keys").text
                #expect(form.contains("<option value=\"api-key\" selected>API key</option>"))
                let shown = try await owner.post("/console/keys", fields).text
                #expect(shown.contains("data-copy=\"secret\""))
                let token = String(try #require(shown.firstMatch(of: /slt_[\w\-]{43}/)).0)
                #expect(try await client.send(.get, TestClient.models, token: token).status == 200)
                let list = try await owner.get("/console/keys").text
                #expect(!list.contains(token))
                let credential = try await test.hub.records.credential(secretHash: Credential.hash(ofSecret: token))
                let id = try #require(credential?.id)
                #expect(try await owner.get("/console/keys/\(id)/revoke").text.contains("Revoke ci?"))
                #expect(try await owner.post("/console/keys/\(id)/revoke").status == 303)
                #expect(try await client.send(.get, TestClient.models, token: token).status == 401)
                let file = try await owner.post(
                    "/console/keys",
                    ["name": "sdk", "kind": "service-account", "role": "editor"]
                )
                #expect(file.text.contains("BEGIN PRIVATE KEY"))
                // A person who signed in with a token has no tokens of their own.
                #expect(try await owner.get("/console/tokens").status == 400)
            }
        }
    }

    @Test func anAdministratorCreatesShowsAndDeletesProjects() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let project = try await test.hub.testProject()
                let link = try await test.hub.makeSignInLink(for: project)
                let administrator = try await ConsoleClient.signedIn(client, link: link)
                let created = try await administrator.post("/console/projects", ["id": "third-project"])
                #expect(created.location == "/console/projects")
                #expect(try await administrator.get("/console/projects").text.contains("third-project"))
                #expect(try await administrator.post("/console/projects/third-project/show").status == 303)
                let settings = ["quota": "5", "installations": "yes"]
                #expect(
                    try await administrator.post("/console/projects/third-project/settings", settings).status == 303
                )
                let changed = try await test.hub.testProject("third-project")
                #expect(changed.quota == 5_000_000 && changed.requiresInstallation)
                #expect(try await administrator.post("/console/projects/third-project/delete").status == 303)
                // The session continues with another project.
                let page = try await administrator.get("/console/projects")
                #expect(page.status == 200 && !page.text.contains("third-project"))
                let owner = try await ConsoleClient.signedIn(client, test.admin)
                #expect(try await owner.post("/console/projects", ["id": "fourth-project"]).status == 403)
                #expect(try await owner.post("/console/projects/my-plants/settings", ["quota": "5"]).status == 403)
                #expect(try await owner.post("/console/projects/other-project/delete").status == 403)
            }
        }
    }

    @Test func sessionsAreSeenAndEnded() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let owner = try await ConsoleClient.signedIn(client, test.admin)
                let reader = try await ConsoleClient.signedIn(client, test.reader)
                let project = try await test.hub.testProject()
                let above = try await ConsoleClient.signedIn(
                    client,
                    link: try await test.hub.makeSignInLink(for: project)
                )
                let sessions = try await test.hub.consoleSessions(of: project)
                let ofReader = try #require(sessions.first { $0.role == .viewer })
                let ofMachine = try #require(sessions.first { $0.role == .administrator })
                #expect(try await owner.get("/console/sessions").text.contains(ofReader.id))
                #expect(try await owner.post("/console/sessions/\(ofReader.id)/end").status == 303)
                #expect(try await reader.get("/console/models").status == 303)
                #expect(try await owner.post("/console/sessions/\(ofMachine.id)/end").status == 403)
                #expect(try await above.get("/console/models").status == 200)
            }
        }
    }
}

extension ConsoleClient {
    /// Signs in with a link.
    static func signedIn(_ client: TestClient, link: String) async throws -> ConsoleClient {
        let code = try #require(link.split(separator: "=").last)
        let reply = try await ConsoleClient(client: client).send("/console/sign-in", ["code": String(code)])
        #expect(reply.status == 303)
        var signedIn = ConsoleClient(client: client)
        signedIn.cookie = try #require(reply.cookie)
        return signedIn
    }
}

import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct ConsoleSessionTests {
    @Test func whoIsNotSignedInIsAskedToAndComesBack() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let anybody = ConsoleClient(client: client)
                let reply = try await anybody.get("/console/config")
                #expect(reply.status == 303)
                #expect(reply.location == "/console/sign-in?to=%2Fconsole%2Fconfig")
                let signIn = ["token": test.reader, "to": "/console/config"]
                #expect(try await anybody.send("/console/sign-in", signIn).location == "/console/config")
                // No other site is gone to.
                for target in ["https://example.org/", "//example.org", "/console/\\example", "/console/a\r\nb: c"] {
                    let reply = try await anybody.send("/console/sign-in", ["token": test.reader, "to": target])
                    #expect(reply.location == "/console/models", "\(target)")
                }
            }
        }
    }

    @Test func theCookieIsForTheConsoleAloneAndOutOfReachOfScripts() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await ConsoleClient(client: client).send("/console/sign-in", ["token": test.reader])
                let parts = try #require(reply.headers[.setCookie]).components(separatedBy: "; ")
                #expect(parts[0].hasPrefix("sightline-console=") && parts[0].utf8.count == 18 + 43)
                #expect(Set(parts.dropFirst()) == ["HttpOnly", "SameSite=Strict", "Path=/console", "Max-Age=43200"])
            }
            var options = HTTPService.Options.patient
            options.publicAddress = "https://models.example.org"
            try await test.serve(options) { client in
                let reply = try await ConsoleClient(client: client).send("/console/sign-in", ["token": test.reader])
                let parts = try #require(reply.headers[.setCookie]).components(separatedBy: "; ")
                #expect(parts[0].hasPrefix("__Host-sightline-console="))
                #expect(parts.contains("Secure") && parts.contains("Path=/") && parts.contains("HttpOnly"))
                #expect(!parts.contains { $0.hasPrefix("Domain") })
            }
        }
    }

    @Test func signingInGivesANewSessionAndEndsTheOldOne() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                var browser = ConsoleClient(client: client)
                // Somebody planted this.
                browser.cookie = "sightline-console=\(String(repeating: "a", count: 43))"
                #expect(try await browser.get("/console/models").status == 303)
                let first = try await browser.send("/console/sign-in", ["token": test.reader])
                #expect(try #require(first.cookie) != browser.cookie)
                browser.cookie = try #require(first.cookie)
                #expect(try await browser.get("/console/models").status == 200)
                let second = try await browser.send("/console/sign-in", ["token": test.admin])
                #expect(try await browser.get("/console/models").status == 303)
                browser.cookie = try #require(second.cookie)
                #expect(try await browser.get("/console/activity").status == 200)
            }
        }
    }

    @Test func sessionsEndWithSigningOutWithTimeAndWithTheirCredential() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let leaving = try await ConsoleClient.signedIn(client, test.reader)
                let reply = try await leaving.post("/console/sign-out")
                #expect(reply.location == "/console/sign-in")
                #expect(reply.headers[.setCookie]?.contains("Max-Age=0") == true)
                #expect(try await leaving.get("/console/models").status == 303)

                let revoked = try await ConsoleClient.signedIn(client, test.publisher)
                let project = try await test.hub.testProject()
                let identity = try await test.hub.identity(bearerToken: test.publisher)
                try await test.hub.revoke(try #require(identity.bound.credential), of: project)
                #expect(try await revoked.get("/console/models").status == 303)

                let idle = try await ConsoleClient.signedIn(client, test.reader)
                test.clock.advance(by: .seconds(3600))
                #expect(try await idle.get("/console/models").status == 200)
                test.clock.advance(by: .seconds(3600 + 1800))
                #expect(try await idle.get("/console/models").status == 200)
                test.clock.advance(by: .seconds(2 * 3600 + 1))
                #expect(try await idle.get("/console/models").status == 303)

                let busy = try await ConsoleClient.signedIn(client, test.reader)
                for _ in 0..<11 {
                    test.clock.advance(by: .seconds(3600))
                    #expect(try await busy.get("/console/models").status == 200)
                }
                test.clock.advance(by: .seconds(3601))
                #expect(try await busy.get("/console/models").status == 303)
            }
        }
    }

    @Test func aClockThatWasSetBackNeitherEndsASessionNorMakesItLast() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let present = try await ConsoleClient.signedIn(client, test.reader)
                test.clock.advance(by: .seconds(-3600))
                #expect(try await present.get("/console/models").status == 200)
                // One of a clock that was far ahead.
                test.clock.advance(by: .seconds(60 * 86_400))
                let ahead = try await ConsoleClient.signedIn(client, test.reader)
                #expect(try await ahead.get("/console/models").status == 200)
                test.clock.advance(by: .seconds(-60 * 86_400))
                #expect(try await ahead.get("/console/models").status == 303)
                // A session without use ends in time, although its last use seems to lie ahead.
                test.clock.advance(by: .seconds(3600))
                let idle = try await ConsoleClient.signedIn(client, test.reader)
                test.clock.advance(by: .seconds(-3600))
                #expect(try await idle.get("/console/models").status == 200)
                test.clock.advance(by: .seconds(2 * 3600 + 1))
                #expect(try await idle.get("/console/models").status == 303)
            }
        }
    }

    @Test func theHubKeepsNoSecretOfASession() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.admin)
                let id = Data(try #require(browser.cookie.split(separator: "=").last).utf8)
                let records = try await test.records()
                #expect(records.firstRange(of: Data(TestHub.project.utf8)) != nil)
                #expect(records.firstRange(of: id) == nil)
            }
        }
    }

    @Test func aSignInLinkWorksOnceAndForMinutes() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            try await test.serve { client in
                let browser = ConsoleClient(client: client)
                let link = try await test.hub.makeSignInLink(for: project)
                // A program that fetches every link that it sees does not use it up.
                for _ in 0..<2 { #expect(try await browser.get(link).text.contains("This link signs you in once.")) }
                let code = try #require(link.split(separator: "=").last).description
                let reply = try await browser.send("/console/sign-in", ["code": code])
                #expect(reply.status == 303 && reply.cookie != nil)
                let again = try await browser.send("/console/sign-in", ["code": code])
                #expect(again.status == 401 && again.text.contains("was already used or has expired"))

                let late = try await test.hub.makeSignInLink(for: project)
                test.clock.advance(by: .seconds(601))
                let lateCode = try #require(late.split(separator: "=").last).description
                #expect(try await browser.send("/console/sign-in", ["code": lateCode]).status == 401)
            }
        }
    }

    @Test func aWrongLinkSaysSoBeforeItIsUsed() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            try await test.serve { client in
                let browser = ConsoleClient(client: client)
                let link = try await test.hub.makeSignInLink(for: project)
                test.clock.advance(by: .seconds(601))
                for wrong in ["/console/sign-in?code=bogus", link] {
                    let reply = try await browser.get(wrong)
                    #expect(reply.status == 401 && reply.text.contains("was already used or has expired"))
                    #expect(!reply.text.contains("This link signs you in once."))
                }
            }
        }
    }

    @Test func wrongTokensAreRefusedAndSlowedDown() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let anybody = ConsoleClient(client: client)
                for token in ["", "slt_wrong", test.apiKey] {
                    let reply = try await anybody.send("/console/sign-in", ["token": token])
                    #expect(reply.status == 401 && reply.headers[.setCookie] == nil)
                }
                // One try in two seconds is always allowed, so that a slow machine needs more tries.
                var status = 401
                for number in 0..<1000 where status == 401 {
                    status = try await anybody.send("/console/sign-in", ["token": "slt_\(number)"]).status
                }
                #expect(status == 429)
            }
        }
    }

    @Test func formsOfOthersAreRefused() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel())
                let admin = try await ConsoleClient.signedIn(client, test.admin)
                let other = try await ConsoleClient.signedIn(client, test.admin)
                let path = "/console/models/\(id)/delete"
                for token in ["", "x", try await other.formToken()] {
                    #expect(try await admin.send(path, ["form_token": token]).status == 403)
                }
                let token = try await admin.formToken()
                let foreign: [HTTPFields] = [
                    [.origin: "https://example.org"], [.origin: "null"], [.fetchSite: "cross-site"],
                    [.fetchSite: "same-site"],
                ]
                for headers in foreign {
                    #expect(try await admin.send(path, ["form_token": token], headers: headers).status == 403)
                    let signIn = try await admin.send("/console/sign-in", ["token": test.admin], headers: headers)
                    #expect(signIn.status == 403 && signIn.headers[.setCookie] == nil)
                }
                let upload = try await admin.upload(
                    "/console/models",
                    ["form_token": "x"],
                    files: ["model": ("a.tflite", fakeModel(2))]
                )
                #expect(upload.status == 403)
                #expect(try FileManager.default.contentsOfDirectory(atPath: test.uploads.path).isEmpty)
                #expect(try await client.send(.get, "\(TestClient.models)/\(id)").status == 200)
                let own: HTTPFields = [.fetchSite: "same-origin"]
                #expect(try await admin.send(path, ["form_token": token], headers: own).status == 303)
            }
        }
    }

    @Test func rolesHoldInTheConsoleAsInTheAPI() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try await client.publish("plants", file: fakeModel())
                let reader = try await ConsoleClient.signedIn(client, test.reader)
                let publisher = try await ConsoleClient.signedIn(client, test.publisher)
                let stranger = try await ConsoleClient.signedIn(client, test.stranger)
                let page = try await reader.get("/console/models/\(id)").text
                #expect(page.contains("plants") && !page.contains("/publication") && !page.contains("/delete"))
                let changes: [(String, [String: String])] = [
                    ("models/\(id)/publication", ["published": "false"]), ("models/\(id)/promote", ["version": "1"]),
                    ("models/\(id)/aliases", ["version": "1", "alias": "beta"]),
                    ("models/\(id)/aliases/remove", ["alias": "beta"]),
                    ("models/\(id)/details", ["name": "x"]),
                    ("models/\(id)/threshold", ["version": "1", "threshold": "0.5"]),
                    ("models/\(id)/delete", [:]), ("config/parameters/%2B", ["key": "a"]), ("experiments", ["id": "a"]),
                ]
                for (path, fields) in changes {
                    #expect(try await reader.post("/console/\(path)", fields).status == 403, "\(path)")
                }
                for path in ["models/new", "activity", "models/\(id)/delete", "experiments/%2B"] {
                    #expect(try await reader.get("/console/\(path)").status == 403, "\(path)")
                }
                #expect(try await publisher.post("/console/models/\(id)/delete").status == 403)
                #expect(try await publisher.get("/console/activity").status == 403)
                #expect(try await stranger.get("/console/models/\(id)").status == 404)
                #expect(try await stranger.post("/console/models/\(id)/delete").status == 404)
            }
        }
    }

    @Test func everyAnswerIsProtectedAndPagesAreNotKept() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.admin)
                for path in ["/console/models", "/console/sign-in", "/console/nowhere", "/console/models/1"] {
                    let headers = try await browser.get(path).headers
                    let policy = try #require(headers[.contentSecurityPolicy])
                    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
                    #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
                    #expect(headers[.xContentTypeOptions] == "nosniff")
                    #expect(headers[.cacheControl] == "no-store")
                    #expect(headers[.referrerPolicy] == "same-origin")
                    #expect(headers[.xFrameOptions] == "DENY")
                }
                let page = try await browser.get("/console/models").text
                let style = try #require(page.firstMatch(of: /href="(\/console\/assets\/[^"]+\.css)"/)).1
                let asset = try await ConsoleClient(client: client).get(String(style))
                #expect(asset.status == 200 && asset.headers[.cacheControl]?.contains("immutable") == true)
            }
        }
    }

    @Test func aTokenOpensAtMostAHundredSessions() async throws {
        try await TestHub.with { test in
            var ids: [String] = []
            for _ in 0...ConsoleSession.maximumCount {
                test.clock.advance(by: .milliseconds(1))
                ids.append(try await test.hub.openSession(token: test.reader).id)
            }
            let other = try await test.hub.openSession(token: test.admin)
            #expect(try await test.hub.session(id: ids[0], takingNotice: false) == nil)
            for id in ids.dropFirst() + [other.id] {
                #expect(try await test.hub.session(id: id, takingNotice: false) != nil)
            }
        }
    }

    @Test func sessionsAreListedAndEndedFromTheMachine() async throws {
        try await TestHub.with { test in
            let project = try await test.hub.testProject()
            let code = try await test.hub.makeSignInLink(for: project).split(separator: "=").last
            let linked = try await test.hub.openSession(code: String(try #require(code)))
            test.clock.advance(by: .seconds(1))
            let reading = try await test.hub.openSession(token: test.reader)
            _ = try await test.hub.openSession(token: test.stranger)
            let sessions = try await test.hub.consoleSessions(of: project)
            #expect(sessions.map(\.role) == [.viewer, .administrator] && sessions.last?.actor == "local")
            let id = try #require(sessions.last?.id)
            #expect(id.utf8.count == 12 && !linked.id.contains(id))
            try await test.hub.endConsoleSession(String(id.prefix(8)), of: project)
            #expect(try await test.hub.session(id: linked.id, takingNotice: false) == nil)
            #expect(try await test.hub.session(id: reading.id, takingNotice: false) != nil)
            #expect(try await test.hub.records.auditLog(of: TestHub.project, limit: 1).first?.action == "console.end")
            let error = await #expect(throws: HubError.self) {
                try await test.hub.endConsoleSession(id, of: project)
            }
            #expect(error?.message.hasPrefix("The project \"my-plants\" has no session") == true)
            test.clock.advance(by: .seconds(3 * 3600))
            #expect(try await test.hub.consoleSessions(of: project).isEmpty)
        }
    }
}

import Crypto
import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol
import NIOCore
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Signing in to the console with a provider that is honest, and with one that lies.
@Suite(.hangLimit)
struct OpenIDTests {
    @Test func aGroupBecomesTheRoleThatTheOperatorWrote() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let begun = try await OpenIDSignIn.begin(client, provider)
            #expect(begun.query["response_type"] == "code" && begun.query["code_challenge_method"] == "S256")
            #expect(begun.query["redirect_uri"] == "http://127.0.0.1/console/sign-in/provider/answer")
            let reply = try await OpenIDSignIn.end(begun, client)
            #expect(reply.status == 200 && reply.headers[.refresh] == "0; url=/console/config")
            var browser = ConsoleClient(client: client)
            browser.cookie = try #require(OpenIDSignIn.sessionCookie(reply))
            let page = try await browser.get("/console/models")
            #expect(page.status == 200 && page.text.contains("publisher"))
            // A publisher of one project is not an editor of it, and sees no other project.
            #expect(try await browser.get("/console/activity").status == 403)
            #expect(!(try await browser.get("/console/projects").text.contains("other-project")))
        }
    }

    @Test func groupsThatTheOperatorDidNotWriteGiveNothing() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let lists: [@Sendable () -> Any] = [
                { ["administrator", "owner", "everyone"] }, { [String]() }, { "ml-team,admins" }, { 7 },
                { [["ml-team"]] },
                { ["ml-team": true] }, { (0..<10_000).map { "group-\($0)" } }, { ["ML-TEAM"] }, { ["ml-team "] },
            ]
            for list in lists {
                provider.change { $0.claims = ["groups": list(), "roles": ["administrator"], "role": "administrator"] }
                let reply = try await OpenIDSignIn.signIn(client, provider)
                #expect(reply.status == 401 && OpenIDSignIn.sessionCookie(reply) == nil)
                #expect(
                    reply.text.contains("none of its groups has a role")
                        || reply.text.contains("is not a list of groups")
                )
            }
            // One text is one group.
            provider.change { $0.claims = ["groups": "ml-team"] }
            #expect(OpenIDSignIn.sessionCookie(try await OpenIDSignIn.signIn(client, provider)) != nil)
        }
    }

    @Test func theReasonOfAMissingRoleIsTheProvidersOwn() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let lists: [(String, @Sendable () -> [String: Any])] = [
                ("it is in so many groups", { ["groups": NSNull(), "_claim_names": ["groups": "src1"]] }),
                ("it is in so many groups", { ["groups": NSNull(), "hasgroups": true] }),
                ("has no claim &quot;groups&quot;", { ["groups": NSNull()] }),
                ("has no claim &quot;groups&quot;", { ["groups": NSNull(), "_claim_names": ["other": "src1"]] }),
                ("is not a list of groups", { ["groups": ["a": "b"]] }),
            ]
            for (reason, claims) in lists {
                provider.change { $0.claims = claims() }
                let reply = try await OpenIDSignIn.signIn(client, provider)
                #expect(reply.status == 401 && reply.text.contains(reason), "\(reason): \(reply.text)")
            }
        }
    }

    @Test func theProvidersReasonIsShown() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let begun = try await OpenIDSignIn.begin(client, provider)
            var browser = ConsoleClient(client: client)
            browser.cookie = begun.cookie
            let answer = "error=access_denied&error_description=AADSTS50105%3A%20not%20assigned%0A"
            let refused = try await browser.get(
                "/console/sign-in/provider/answer?\(answer)&state=\(begun.query["state"] ?? "")"
            )
            #expect(refused.status == 401 && refused.text.contains("access_denied (AADSTS50105: not assigned)"))
            provider.change {
                $0.answers["/token"] = {
                    LyingProvider.json(
                        ["error": "invalid_client", "error_description": "AADSTS7000222: The secret has expired."],
                        status: .unauthorized
                    )
                }
            }
            let reply = try await OpenIDSignIn.signIn(client, provider)
            #expect(reply.text.contains("invalid_client (AADSTS7000222: The secret has expired.)"))
        }
    }

    @Test func tokensThatAreNotForThisSignInAreRefused() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let now = Int(Date.now.timeIntervalSince1970)
            let lies: [(String, @Sendable () -> [String: Any])] = [
                ("another issuer", { ["iss": "https://example.org"] }), ("another program", { ["aud": "other"] }),
                ("another program", { ["aud": ["hub", "other"]] }), ("another program", { ["azp": "other"] }),
                ("another sign-in", { ["nonce": "replayed"] }), ("another sign-in", { ["nonce": NSNull()] }),
                ("not valid now", { ["exp": now - 120] }), ("not valid now", { ["iat": now + 600] }),
                ("not valid now", { ["nbf": now + 600] }), ("does not name a person", { ["sub": ""] }),
                ("does not name a person", { ["sub": "a\u{0}b"] }), ("cannot be checked", { ["exp": "tomorrow"] }),
            ]
            for (reason, claims) in lies {
                provider.change { $0.claims = claims() }
                let reply = try await OpenIDSignIn.signIn(client, provider)
                #expect(reply.status == 401 && OpenIDSignIn.sessionCookie(reply) == nil, "\(reason)")
                #expect(reply.text.contains(reason), "\(reason): \(claims())")
            }
        }
    }

    @Test func signaturesThatAnybodyCouldMakeAreRefused() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let headers: [@Sendable () -> [String: Any]] = [
                { ["alg": "none"] }, { ["alg": "None"] }, { ["alg": "HS256"] }, { ["alg": "RS256"] },
                { ["alg": "ES384"] },
                { ["kid": "unknown"] }, { ["kid": 1e300] }, { ["x": 1e300] }, { ["crit": ["b64"]] }, { ["kid": "odd"] },
            ]
            for header in headers {
                provider.change { $0.header = header() }
                let reply = try await OpenIDSignIn.signIn(client, provider)
                // The provider may have published a key since the last reading.
                let isUnknown = ["unknown", "odd"].contains(header()["kid"] as? String)
                #expect(
                    reply.status == (isUnknown ? 503 : 401) && OpenIDSignIn.sessionCookie(reply) == nil,
                    "\(header())"
                )
            }
            let signatures: [@Sendable (String, P256.Signing.PrivateKey) -> String] = [
                { _, _ in "" },
                { text, _ in
                    let own = try? P256.Signing.PrivateKey().signature(for: Data(text.utf8))
                    return own.map { Base64URL.text($0.rawRepresentation) } ?? ""
                },
                { text, key in
                    let secret = SymmetricKey(data: Data(key.publicKey.pemRepresentation.utf8))
                    return Base64URL.text(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: secret))
                },
            ]
            for sign in signatures {
                for algorithm in ["ES256", "HS256", "none"] {
                    provider.change { ($0.header, $0.sign) = (["alg": algorithm], sign) }
                    let reply = try await OpenIDSignIn.signIn(client, provider)
                    #expect(reply.status == 401 && OpenIDSignIn.sessionCookie(reply) == nil)
                }
            }
        }
    }

    @Test func keysAreReadAgainForAnUnknownIDButNotForEveryone() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            #expect(OpenIDSignIn.sessionCookie(try await OpenIDSignIn.signIn(client, provider)) != nil)
            #expect(provider.requests(of: "/keys") == 1)
            for number in 0..<5 {
                provider.change { $0.keyID = "unknown-\(number)" }
                let reply = try await OpenIDSignIn.signIn(client, provider)
                #expect(reply.status == 503 && reply.text.contains("a key that it had not published a moment ago"))
            }
            #expect(provider.requests(of: "/keys") == 1)
            // The provider changes its key; the hub learns of it some seconds later.
            provider.change {
                $0.key = P256.Signing.PrivateKey()
                ($0.keyID, $0.publishedID) = ("second", "second")
            }
            try await Task.sleep(for: .seconds(11))
            #expect(OpenIDSignIn.sessionCookie(try await OpenIDSignIn.signIn(client, provider)) != nil)
            #expect(provider.requests(of: "/keys") == 2)
        }
    }

    @Test func theAnswerBelongsToTheBrowserThatAsked() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let own = try await OpenIDSignIn.begin(client, provider)
            let other = try await OpenIDSignIn.begin(client, provider)
            var mixed = own
            mixed.cookie = other.cookie
            for (begun, state) in [
                (mixed, nil), (own, "x"), (own, ""), (OpenIDSignIn.Begun(query: own.query, cookie: ""), nil),
            ] {
                let reply = try await OpenIDSignIn.end(begun, client, state: state)
                #expect(reply.status == 401 && reply.text.contains("did not begin the sign-in"))
            }
            // The code of the other browser does not fit the verifier of this one.
            #expect(try await OpenIDSignIn.end(own, client).status == 401)
            test.clock.advance(by: .seconds(601))
            #expect(try await OpenIDSignIn.end(other, client).text.contains("more than 10 minutes ago"))
            #expect(provider.requests(of: "/token") == 1)
        }
    }

    @Test func theSessionEndsWithTheToken() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let reply = try await OpenIDSignIn.signIn(client, provider)
            var browser = ConsoleClient(client: client)
            browser.cookie = try #require(OpenIDSignIn.sessionCookie(reply))
            test.clock.advance(by: .seconds(590))
            #expect(try await browser.get("/console/models").status == 200)
            test.clock.advance(by: .seconds(90))
            #expect(try await browser.get("/console/models").status == 303)
        }
    }

    @Test func peopleSeeTheirNameAndEndTheirOtherBrowsers() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change { $0.claims = ["sub": "vcXRfxsipo7UBypz7xE7jYb"] }
            let (here, there) = (
                try await OpenIDSignIn.browser(client, provider), try await OpenIDSignIn.browser(client, provider)
            )
            provider.change { $0.claims = ["sub": "another"] }
            let stranger = try await OpenIDSignIn.browser(client, provider)
            let page = try await here.get("/console/your-sessions").text
            #expect(page.contains("class=\"account-name\">ada@example.com</span>"))
            #expect(page.contains("href=\"/console/your-sessions\""))
            let ends = page.matches(of: /\/console\/your-sessions\/([0-9a-f]+)\/end/).map { String($0.1) }
            #expect(ends.count == 2 && page.contains("ada@example.com (OpenID vcXRfxsipo7U…)"))
            #expect(page.components(separatedBy: ">This one<").count == 2)
            // Nobody ends the sessions of others.
            for id in ends {
                #expect(try await stranger.post("/console/your-sessions/\(id)/end").status == 404)
            }
            let hash = Credential.hash(ofSecret: String(there.cookie.split(separator: "=")[1])).prefix(6)
            #expect(try await here.post("/console/your-sessions/\(hash.hexadecimalText)/end").status == 303)
            #expect(try await there.get("/console/models").status == 303)
            #expect(try await here.get("/console/models").status == 200)
            #expect(try await stranger.get("/console/models").status == 200)
        }
    }

    @Test func rolesFollowTheMappingAndTheRecordsHoldNoSession() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let reply = try await OpenIDSignIn.signIn(client, provider)
            let cookie = try #require(OpenIDSignIn.sessionCookie(reply))
            // Groups without a mapping have no role.
            try await test.withAnotherHub { other in
                #expect(other.hub.identity(ofGroups: ["ml-team"])?.role(in: TestHub.project) == .publisher)
                #expect(other.hub.identity(ofGroups: ["everyone"]) == nil)
                #expect(other.hub.identity(ofGroups: []) == nil)
            }
            let id = Data(try #require(cookie.split(separator: "=").last).utf8)
            let records = try await test.records()
            #expect(records.firstRange(of: id) == nil)
        }
    }

    @Test func aCommandOnTheHubsMachineSeesAndEndsTheSession() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let browser = try await OpenIDSignIn.browser(client, provider)
            // A command knows nothing of the server's provider.
            try await test.withAnotherHub { other in
                let command = try await Hub(
                    records: other.hub.records,
                    files: HubFiles(
                        blobs: other.hub.blobs,
                        evaluationFiles: other.hub.evaluationFiles,
                        pieces: other.hub.pieces,
                        uploads: other.hub.uploads
                    ),
                    validator: other.hub.validator,
                    now: { other.clock.now }
                )
                let project = try await command.testProject()
                let sessions = try await command.consoleSessions(of: project, by: .local)
                let session = try #require(sessions.first)
                #expect(sessions.count == 1 && session.role == .publisher)
                try await command.endConsoleSession(session.id, of: project, by: .local)
            }
            #expect(try await browser.get("/console/models").status == 303)
        }
    }

    @Test func anEndlessAnswerAndARedirectAreRefused() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change {
                $0.answers["/token"] = {
                    Response(status: .temporaryRedirect, headers: [.location: "http://127.0.0.1:1/inner"])
                }
            }
            let redirected = try await OpenIDSignIn.signIn(client, provider)
            #expect(redirected.status == 503 && redirected.text.contains("status 307"))
            provider.change {
                $0.answers["/token"] = {
                    Response(
                        status: .ok,
                        body: .init { writer in
                            let piece = ByteBuffer(repeating: 32, count: 1 << 16)
                            for _ in 0..<10_000 { try await writer.write(piece) }
                            try await writer.finish(nil)
                        }
                    )
                }
            }
            let endless = try await OpenIDSignIn.signIn(client, provider)
            #expect(endless.status == 503 && endless.text.contains("too large"))
        }
    }

    @Test(arguments: [
        ["issuer": "https://example.org"], ["token_endpoint": "http://169.254.169.254/token"],
        ["jwks_uri": "file:///etc/passwd"], ["authorization_endpoint": "javascript:alert(1)"],
        ["token_endpoint": "http://user@127.0.0.1/token"],
    ])
    func aDiscoveryDocumentThatLeadsElsewhereIsRefused(lie: [String: String]) async throws {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change { $0.discovery = lie }
            let reply = try await ConsoleClient(client: client).get("/console/sign-in/provider")
            #expect(reply.status == 503 && reply.headers[.location] == nil)
        }
    }

    @Test func aHubWithoutAProviderHasNoSuchPages() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let browser = ConsoleClient(client: client)
                #expect(try await !browser.get("/console/sign-in").text.contains("Sign in with your account"))
                for path in ["/console/sign-in/provider", "/console/sign-in/provider/answer?code=c&state=s"] {
                    let reply = try await browser.get(path)
                    #expect(reply.location?.hasPrefix("/console/sign-in?to=") == true)
                }
            }
        }
    }

    @Test func issuersAndRolesAreReadStrictly() throws {
        #expect(
            OpenIDSettings.GroupRole("cn=ml,dc=x=editor@plants")
                == .init(group: "cn=ml,dc=x", role: .editor, project: "plants")
        )
        #expect(OpenIDSettings.GroupRole("admins=administrator") == .init(group: "admins", role: .administrator))
        for wrong in ["", "=viewer", "a", "a=", "a=boss", "a=viewer@", "a=administrator@plants", "a=admin"] {
            #expect(OpenIDSettings.GroupRole(wrong) == nil, "\(wrong)")
        }
        for wrong in [
            "", "example.org", "http://example.org", "ftp://example.org", "https://a@example.org", "https://a/?b=c",
        ] {
            #expect(throws: HubError.self) {
                try OpenIDSettings(issuer: wrong, clientID: "a", clientSecret: nil, hub: "https://h", roles: [])
            }
        }
    }
}

import Crypto
import Foundation
import HTTPServing
import Hummingbird
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Sessions that live as long as the provider's own.
@Suite(.hangLimit)
struct OpenIDRenewalTests {
    /// Lets the hub's time pass, and the provider's next tokens end ten minutes later.
    private static func wait(_ seconds: Int, _ test: TestHub, _ provider: LyingProvider) {
        test.clock.advance(by: .seconds(seconds))
        let end = test.hub.now().milliseconds / 1000 + 600
        provider.change { $0.claims["exp"] = end }
    }

    @Test func aSessionGoesOnWhileTheProviderRenewsIt() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change { $0.refreshToken = "first" }
            let browser = try await OpenIDSignIn.browser(client, provider)
            for _ in 0..<3 {
                Self.wait(1000, test, provider)
                #expect(try await browser.get("/console/models").status == 200)
            }
            // One answer to a code, three to refresh tokens; between two ends the hub does not ask.
            #expect(try await browser.get("/console/models").status == 200)
            #expect(provider.requests(of: "/token") == 4)
        }
    }

    @Test func aProviderNeedNotRepeatThePerson() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change { ($0.refreshToken, $0.repeatsPerson) = ("first", false) }
            let browser = try await OpenIDSignIn.browser(client, provider)
            for _ in 0..<3 {
                test.clock.advance(by: .seconds(700))
                #expect(try await browser.get("/console/models").text.contains("publisher"))
            }
            #expect(provider.requests(of: "/token") == 4)
        }
    }

    @Test func groupsFollowTheEndpointOfAProviderThatDoesNotRepeatThePerson() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            func say(_ subject: String, _ groups: [String]) {
                provider.change { $0.information = ["sub": subject, "groups": groups] }
            }
            provider.change { ($0.refreshToken, $0.repeatsPerson) = ("first", false) }
            say("7", ["ml-team"])
            for (subject, groups, isOpen) in [
                ("7", ["everyone"], false), ("8", ["admins"], false), ("7", ["admins"], true),
            ] {
                let browser = try await OpenIDSignIn.browser(client, provider)
                test.clock.advance(by: .seconds(700))
                say(subject, groups)
                let reply = try await browser.get("/console/models")
                #expect(reply.status == (isOpen ? 200 : 303))
                #expect(reply.text.contains("administrator") == isOpen)
                Self.wait(1, test, provider)
            }
        }
    }

    @Test func manyRequestsRenewOnce() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change { $0.refreshToken = "first" }
            let browser = try await OpenIDSignIn.browser(client, provider)
            Self.wait(1000, test, provider)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 { group.addTask { try await browser.get("/console/models").status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 12))
            #expect(provider.requests(of: "/token") == 2)
        }
    }

    @Test(arguments: [
        ("refused", "its provider has ended it: invalid_grant"), ("no group", "none of its groups has a role"),
        ("no claim", "has no claim \"groups\""), ("too many groups", "in so many groups"),
        ("another person", "its provider answers for another person"), ("another issuer", "is of another issuer"),
    ])
    func theSessionEndsWhenTheProviderNoLongerVouchesAndTheLogSaysWhy(case change: String, reason: String) async throws
    {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change { $0.refreshToken = "first" }
            let browser = try await OpenIDSignIn.browser(client, provider)
            Self.wait(1000, test, provider)
            provider.change { state in
                switch change {
                case "refused": state.refreshToken = "another"
                case "no group": state.claims["groups"] = ["everyone"]
                case "no claim": state.claims["groups"] = NSNull()
                case "too many groups":
                    (state.claims["groups"], state.claims["_claim_names"]) = (NSNull(), ["groups": "a"])
                case "another person": state.claims["sub"] = "8"
                default: state.claims["iss"] = "https://example.org"
                }
            }
            #expect(try await browser.get("/console/models").status == 303)
            provider.change { $0.claims = [:] }
            #expect(try await browser.get("/console/models").status == 303)
            #expect(provider.requests(of: "/token") == 2)
            let ends = try await test.hub.records.auditLog(of: TestHub.project, limit: 100).filter {
                $0.action == "console.end"
            }
            #expect(ends.count == 1 && ends[0].detail.contains(reason), "\(ends.map(\.detail))")
        }
    }

    @Test func aProviderThatDoesNotAnswerEndsNothing() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change { $0.refreshToken = "first" }
            let browser = try await OpenIDSignIn.browser(client, provider)
            Self.wait(1000, test, provider)
            provider.change { $0.answers["/token"] = { Response(status: .badGateway) } }
            let reply = try await browser.get("/console/models")
            #expect(reply.status == 503 && reply.text.contains("status 502"))
            provider.change { $0.answers = [:] }
            #expect(try await browser.get("/console/models").status == 200)
        }
    }

    @Test func sessionsThatComeWhileTheKeysAreReadWaitTogether() async throws {
        try await OpenIDSignIn.with(interval: .milliseconds(1)) { provider, test, client in
            provider.change { $0.claims["sub"] = "7" }
            var browsers: [ConsoleClient] = []
            for number in 0..<3 {
                provider.change { $0.refreshToken = "first-\(number)" }
                browsers.append(try await OpenIDSignIn.browser(client, provider))
            }
            let read = provider.requests(of: "/keys")
            Self.wait(1000, test, provider)
            provider.change {
                $0.key = P256.Signing.PrivateKey()
                ($0.keyID, $0.publishedID) = ("second", "second")
                ($0.pauses["/keys"], $0.takesAnyRefreshToken) = (.milliseconds(500), true)
            }
            let open = browsers
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for browser in open { group.addTask { try await browser.get("/console/models").status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses == [200, 200, 200])
            #expect(provider.requests(of: "/keys") == read + 1)
        }
    }

    @Test func aKeyThatTheProviderPublishedSinceTheLastReadingEndsNothing() async throws {
        try await OpenIDSignIn.with(interval: .seconds(600)) { provider, test, client in
            provider.change { $0.refreshToken = "first" }
            let browser = try await OpenIDSignIn.browser(client, provider)
            Self.wait(1000, test, provider)
            provider.change {
                $0.key = P256.Signing.PrivateKey()
                ($0.keyID, $0.publishedID) = ("second", "second")
            }
            let reply = try await browser.get("/console/models")
            #expect(reply.status == 503 && reply.headers[.retryAfter] != nil)
            let log = try await test.hub.records.auditLog(of: TestHub.project, limit: 100)
            #expect(!log.contains { $0.action == "console.end" })
        }
    }

    @Test(arguments: ["the answer fails", "the client is unknown"])
    func aProviderThatCannotBeAskedEndsNothing(cause: String) async throws {
        try await OpenIDSignIn.with(interval: .milliseconds(300)) { provider, test, client in
            provider.change { $0.refreshToken = "first" }
            let browser = try await OpenIDSignIn.browser(client, provider)
            Self.wait(1000, test, provider)
            provider.change { state in
                if cause == "the answer fails" {
                    state.keyID = "second"
                    state.answers["/keys"] = { Response(status: .badGateway) }
                } else {
                    state.answers["/token"] = {
                        LyingProvider.json(
                            ["error": "invalid_client", "error_description": "AADSTS7000222: The secret has expired."],
                            status: .unauthorized
                        )
                    }
                }
            }
            let reply = try await browser.get("/console/models")
            if cause == "the client is unknown" {
                #expect(reply.text.contains("invalid_client (AADSTS7000222: The secret has expired.)"))
            }
            #expect(reply.status == 503 && reply.headers[.retryAfter] != nil)
            provider.change {
                $0.answers = [:]
                $0.publishedID = "second"
                $0.keyID = "second"
            }
            try await SightlineTestSupport.wait(while: { try await browser.get("/console/models").status == 503 })
            #expect(try await browser.get("/console/models").status == 200)
        }
    }

    @Test func aRenewalThatFailsHalfwayIsEndedLater() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change { ($0.refreshToken, $0.repeatsPerson, $0.information) = ("first", false, ["sub": "7"]) }
            let browser = try await OpenIDSignIn.browser(client, provider)
            Self.wait(1000, test, provider)
            // The provider takes the refresh token, and then does not say who the person is.
            provider.change { $0.answers["/userinfo"] = { Response(status: .badGateway) } }
            #expect(try await browser.get("/console/models").status == 503)
            provider.change {
                $0.answers = [:]
                $0.information = ["sub": "7", "groups": ["ml-team"]]
            }
            #expect(try await browser.get("/console/models").status == 200)
        }
    }

    @Test func theRecordsHoldNoRefreshToken() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change { $0.refreshToken = "first" }
            _ = try await OpenIDSignIn.browser(client, provider)
            #expect(try await test.records().firstRange(of: Data("refresh-".utf8)) == nil)
        }
    }

    @Test func theProviderEndsItsSessions() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            func browser(_ person: String, _ session: String) async throws -> ConsoleClient {
                provider.change { $0.claims = ["sub": person, "sid": session] }
                return try await OpenIDSignIn.browser(client, provider)
            }
            let (first, second) = (try await browser("ada", "1"), try await browser("ada", "2"))
            let other = try await browser("eve", "3")
            func end(_ claims: [String: String]) async throws {
                let reply = try await Self.end(claims, provider, client)
                #expect(reply.status == 200 && reply.headers[.cacheControl] == "no-store")
            }
            func areOpen() async throws -> [Bool] {
                var open: [Bool] = []
                for browser in [first, second, other] {
                    open.append(try await browser.get("/console/models").status == 200)
                }
                return open
            }
            try await end(["sid": "1"])
            #expect(try await areOpen() == [false, true, true])
            try await end(["sub": "ada"])
            #expect(try await areOpen() == [false, false, true])
            // A message from before a sign-in does not end the new session.
            let late = try await browser("eve", "4")
            try await Self.end(["sub": "eve"], provider, client, at: -120)
            #expect(try await late.get("/console/models").status == 200)
        }
    }

    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    @discardableResult
    private static func end(
        _ claims: [String: String],
        _ provider: LyingProvider,
        _ client: TestClient,
        at offset: Int = 0,
        _ change: @Sendable () -> [String: Any] = { [:] }
    ) async throws -> TestReply {
        let now = Int(Date.now.timeIntervalSince1970) + offset
        let issuer = try #require(provider.issuer)
        let own = claims
        let token = provider.signed(issuer: issuer) {
            var all: [String: Any] = [
                "iat": now, "exp": now + 120, "nonce": NSNull(), "sub": NSNull(), "events": [event: [String: String]()],
            ]
            all.merge(own) { $1 }
            return all.merging(change()) { $1 }
        }
        return try await client.form("/console/sign-in/provider/logout", ["logout_token": token])
    }

    @Test func messagesThatAnybodyCouldSendEndNothing() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let browser = try await OpenIDSignIn.browser(client, provider)
            let lies: [@Sendable () -> [String: Any]] = [
                { ["iss": "https://example.org"] }, { ["aud": "other"] }, { ["nonce": "x"] }, { ["sub": NSNull()] },
                { ["events": ["other": [String: String]()]] }, { ["events": NSNull()] }, { ["exp": 1000] },
            ]
            for lie in lies {
                let reply = try await Self.end(["sub": "7"], provider, client, lie)
                #expect(reply.status == 400, "\(lie())")
            }
            #expect(try await Self.end(["sub": "7"], provider, client, at: -3600).status == 400)
            // An ID token is not such a message.
            let idToken = provider.signed(issuer: try #require(provider.issuer)) { [:] }
            for text in [idToken, "", "a.b.c"] {
                let reply = try await client.form("/console/sign-in/provider/logout", ["logout_token": text])
                #expect(reply.status == 400)
            }
            provider.change { $0.header = ["alg": "none"] }
            #expect(try await Self.end(["sub": "7"], provider, client).status == 400)
            #expect(try await browser.get("/console/models").status == 200)
        }
    }
}

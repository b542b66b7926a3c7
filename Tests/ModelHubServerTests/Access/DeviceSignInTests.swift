import Foundation
import HTTPServing
import ModelHubProtocol
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Commands that a person lets in with an account of the provider (RFC 8628).
@Suite(.hangLimit)
struct DeviceSignInTests {
    /// Begins a sign-in and gives the device's code.
    private static func begin(_ client: TestClient) async throws -> String {
        let reply = try await client.form("/device_authorization", [:])
        #expect(reply.status == 200 && reply.headers[.cacheControl] == "no-store")
        #expect(reply.text("user_code") == "BDWP-HQPK")
        #expect(reply.text("verification_uri")?.hasSuffix("/activate") == true)
        return try #require(reply.text("device_code"))
    }

    private static func ask(_ client: TestClient, _ code: String) async throws -> TestReply {
        try await client.form("/token", ["grant_type": OpenIDDeviceAttempt.grant, "device_code": code])
    }

    private static func token(_ client: TestClient, _ provider: LyingProvider) async throws -> String {
        let begun = try await begin(client)
        provider.change { $0.deviceError = nil }
        let reply = try await ask(client, begun)
        #expect(reply.status == 200)
        return try #require(reply.text("access_token"))
    }

    private static func models(_ client: TestClient, _ token: String) async throws -> TestReply {
        try await client.send(.get, "/v1beta2/projects/\(TestHub.project)/models", token: token)
    }

    @Test func aCommandActsAsThePersonWhoLetItIn() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let begun = try await Self.begin(client)
            #expect(!begun.contains("device-7"))
            let pending = try await Self.ask(client, begun)
            #expect(pending.status == 400 && pending.text.contains("authorization_pending"))
            let hasty = try await Self.ask(client, begun)
            #expect(hasty.status == 400 && hasty.text.contains("slow_down"))
            #expect(provider.requests(of: "/token") == 1)
            try await Task.sleep(for: .seconds(1.1))
            provider.change { $0.deviceError = nil }
            let token = try #require(try await Self.ask(client, begun).text("access_token"))
            #expect(try await Self.models(client, token).status == 200)
            // A publisher of one project is not an editor of it.
            let audit = "/hub/v1/projects/\(TestHub.project)/audit"
            #expect(try await client.send(.get, audit, token: token).status == 403)
        }
    }

    @Test func commandsThatSignInBeforeTheKeysAreKnownWaitTogether() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            var codes: [String] = []
            for _ in 0..<3 {
                test.clock.advance(by: .seconds(1))
                codes.append(try await Self.begin(client))
            }
            provider.change { ($0.deviceError, $0.pauses["/keys"]) = (nil, .milliseconds(500)) }
            let begun = codes
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for code in begun { group.addTask { try await Self.ask(client, code).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses == [200, 200, 200] && provider.requests(of: "/keys") == 1)
        }
    }

    @Test func aCommandCanAskAgainWhenTheKeysCouldNotBeRead() async throws {
        try await OpenIDSignIn.with(interval: .milliseconds(1)) { provider, test, client in
            let begun = try await Self.begin(client)
            provider.change {
                $0.deviceError = nil
                $0.answers["/keys"] = { .init(status: .badGateway) }
            }
            #expect(try await Self.ask(client, begun).status == 503)
            // The provider takes a code once, so it has not been asked.
            #expect(provider.requests(of: "/token") == 0)
            provider.change { $0.answers = [:] }
            try await Task.sleep(for: .seconds(1.1))
            #expect(try await Self.ask(client, begun).status == 200)
        }
    }

    @Test(arguments: ["access_denied", "expired_token", "invalid_grant"])
    func aPersonWhoDeclinesLetsNobodyIn(error: String) async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let begun = try await Self.begin(client)
            provider.change { $0.deviceError = error }
            let reply = try await Self.ask(client, begun)
            #expect(reply.status == 400 && reply.text.contains(error))
        }
    }

    @Test func aPersonWithoutARoleIsRefused() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let begun = try await Self.begin(client)
            provider.change { ($0.deviceError, $0.claims) = (nil, ["groups": ["everyone"]]) }
            let reply = try await Self.ask(client, begun)
            #expect(reply.status == 400 && reply.text.contains("none of its groups has a role"))
        }
    }

    @Test func codesThatTheHubDidNotMakeAreRefused() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let begun = try await Self.begin(client)
            provider.change { $0.deviceError = nil }
            for code in ["", "device-7", String(begun.dropLast(2)) + "AA"] {
                #expect(try await Self.ask(client, code).text.contains("invalid_grant"))
            }
            test.clock.advance(by: .seconds(901))
            #expect(try await Self.ask(client, begun).text.contains("expired_token"))
            #expect(provider.requests(of: "/token") == 0)
        }
    }

    @Test func aTokenIsNoCookieAndACookieNoToken() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let token = try await Self.token(client, provider)
            var browser = ConsoleClient(client: client)
            browser.cookie = "sightline-console=\(token)"
            #expect(try await browser.get("/console/models").status == 303)
            browser.cookie = "sightline-console=\(token.dropFirst(4))"
            #expect(try await browser.get("/console/models").status == 303)
            let cookie = try #require(OpenIDSignIn.sessionCookie(try await OpenIDSignIn.signIn(client, provider)))
            let number = cookie.split(separator: "=")[1]
            for text in [number, "sos.\(number)"] {
                #expect(try await Self.models(client, String(text)).status == 401)
            }
        }
    }

    @Test func aCommandSignsOut() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            let token = try await Self.token(client, provider)
            for text in ["unknown", "sos.unknown", token] {
                #expect(try await client.form("/revoke", ["token": text]).status == 200)
            }
            #expect(try await Self.models(client, token).status == 401)
        }
    }

    @Test func theTokenEndsWithTheProvidersSession() async throws {
        try await OpenIDSignIn.with { provider, test, client in
            provider.change { $0.refreshToken = "first" }
            let token = try await Self.token(client, provider)
            test.clock.advance(by: .seconds(1000))
            let end = test.hub.now().milliseconds / 1000 + 600
            provider.change { $0.claims["exp"] = end }
            #expect(try await Self.models(client, token).status == 200)
            test.clock.advance(by: .seconds(1000))
            provider.change { $0.refreshToken = "another" }
            #expect(try await Self.models(client, token).status == 401)
        }
    }

    @Test func aHubWithoutAProviderSaysSo() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let reply = try await client.form("/device_authorization", [:])
                #expect(reply.status == 404 && reply.text.contains("no sign-in provider"))
            }
        }
    }

    @Test(arguments: [
        "https://127.0.0.1/keys", "https://[::1]/keys", "https://localhost:1/keys", "https://10.0.0.1/token",
    ])
    func aProviderOnTheInternetLeadsNobodyInside(address: String) async throws {
        await #expect(throws: PinnedClient.Refusal.privateNetwork) {
            try await OpenIDRequests(issuerHost: "8.8.8.8").get(address)
        }
    }
}

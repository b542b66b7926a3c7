import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ModelHubServer
import Testing

/// A browser that signs in at a hub with a provider.
enum OpenIDSignIn {
    static let roles: [OpenIDSettings.GroupRole] = [
        .init(group: "ml-team", role: .publisher, project: TestHub.project),
        .init(group: "admins", role: .administrator),
    ]

    /// Calls `body` with a provider and a client of a hub that trusts it.
    ///
    /// - Parameter interval: The shortest time between two readings of the provider's keys.
    static func with(
        interval: Duration = .seconds(10),
        _ body: @escaping @Sendable (LyingProvider, TestHub, TestClient) async throws -> Void
    ) async throws {
        let provider = LyingProvider()
        try await provider.serve { issuer in
            var options = Hub.Options()
            var settings = try OpenIDSettings(
                issuer: issuer,
                clientID: LyingProvider.clientID,
                clientSecret: Secret("not-a-real-secret"),
                hub: "http://127.0.0.1",
                roles: roles
            )
            settings.shortestInterval = interval
            options.openID = settings
            try await TestHub.with(options: options) { test in
                try await test.serve { client in try await body(provider, test, client) }
            }
        }
    }

    struct Begun {
        var query: [String: String]
        var cookie: String
    }

    /// Begins a sign-in as a browser does, and notifies the provider of it.
    static func begin(_ client: TestClient, _ provider: LyingProvider) async throws -> Begun {
        let reply = try await ConsoleClient(client: client).get("/console/sign-in/provider?to=/console/config")
        #expect(reply.status == 303)
        let parts = try #require(URLComponents(string: reply.location ?? ""))
        let query = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
        let (nonce, challenge) = (query["nonce"] ?? "", query["code_challenge"] ?? "")
        provider.change { ($0.nonce, $0.challenge) = (nonce, challenge) }
        return Begun(query: query, cookie: try #require(reply.cookie))
    }

    static func end(_ begun: Begun, _ client: TestClient, state: String? = nil) async throws -> TestReply {
        var browser = ConsoleClient(client: client)
        browser.cookie = begun.cookie
        return try await browser.get(
            "/console/sign-in/provider/answer?code=c&state=\(state ?? begun.query["state"] ?? "")"
        )
    }

    /// The reply at the end of a sign-in with what the provider says by now.
    static func signIn(_ client: TestClient, _ provider: LyingProvider) async throws -> TestReply {
        try await end(try await begin(client, provider), client)
    }

    /// The cookie of a new session.
    static func sessionCookie(_ reply: TestReply) -> String? {
        reply.headers[values: .setCookie].first { $0.hasPrefix("sightline-console=") }?
            .split(separator: ";").first.map(String.init)
    }

    /// A signed-in browser.
    static func browser(_ client: TestClient, _ provider: LyingProvider) async throws -> ConsoleClient {
        var browser = ConsoleClient(client: client)
        browser.cookie = try #require(sessionCookie(try await signIn(client, provider)))
        return browser
    }
}

extension TestClient {
    /// Sends a form without a token.
    func form(_ target: String, _ fields: [String: String]) async throws -> TestReply {
        let form = fields.map { "\($0)=\(percentEncoded($1))" }.joined(separator: "&")
        return try await send(
            .post,
            target,
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: Data(form.utf8),
            token: .some(nil)
        )
    }
}

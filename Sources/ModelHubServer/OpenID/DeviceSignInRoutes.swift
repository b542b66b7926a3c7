import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird

/// Signing in commands, and the end of sessions: `/device_authorization` (RFC 8628), `/revoke` (RFC 7009), and the provider's message that a
/// session has ended.
struct DeviceSignInRoutes {
    let hub: Hub
    let guesses: GuessLimiter
    private let begun = RateLimiter<ClientNetwork>(rate: 0.1, burst: 20)

    init(hub: Hub, guesses: GuessLimiter) { (self.hub, self.guesses) = (hub, guesses) }

    /// The path to which a provider sends logout tokens.
    static let logoutPath = "console/sign-in/provider/logout"
    private static let form = "application/x-www-form-urlencoded"
    /// The maximum size of a form with a token.
    private static let bodyLimit = 32 << 10

    func add(to routes: inout RouteTable) {
        routes.on(.post, at: "device_authorization", use: begin) {
            APIOperation(.access, "beginDeviceSignIn", "Begin to sign in a device without a browser")
                .explained(
                    "A person opens the address of the answer, signs in at the hub's OpenID Connect provider, and allows the device. Meanwhile the device asks `/token` for its token (RFC 8628)."
                )
                .answers("The code for the person, and the code for the device.", .deviceAuthorization)
        }
        routes.on(.post, at: "revoke", use: revoke) {
            APIOperation(.access, "revokeDeviceToken", "Sign out a device (RFC 7009)")
                .takes([Self.form: .fields(["token": .text("The device's token.")])])
                .answers("The token is not valid, or no longer.", .object())
        }
        guard hub.openID != nil else { return }
        routes.on(.post, at: Self.logoutPath, use: endSessions) {
            APIOperation(.access, "endProviderSession", "End the sessions that the provider has ended")
                .explained("The provider calls this (OpenID Connect Back-Channel Logout 1.0).")
                .takes([Self.form: .fields(["logout_token": .text("A JWT that the provider signed.")])])
                .answers("The sessions are over.", .object())
        }
    }

    @Sendable
    private func begin(_ request: APIRequest) async throws -> Response {
        if let wait = begun.wait(for: request.client.network) { throw RequestError.tooMany("sign-ins", wait: wait) }
        var response = try Response.json(try await hub.beginDeviceSignIn())
        response.headers[.cacheControl] = "no-store"
        return response
    }

    @Sendable
    private func revoke(_ request: APIRequest) async throws -> Response {
        let token = try await request.form(upTo: Self.bodyLimit)["token"] ?? ""
        // The answer is the same for unknown tokens (RFC 7009, section 2.2).
        try await hub.endDeviceSession(token: token)
        return .json(text: "{}")
    }

    @Sendable
    private func endSessions(_ request: APIRequest) async throws -> Response {
        let token = try await request.form(upTo: Self.bodyLimit)["logout_token"] ?? ""
        do {
            try await hub.endSessions(logoutToken: token)
        } catch let error as HubError where error.code == .unauthenticated {
            try guesses.count(token, of: request)
            throw HubError(.invalidArgument, error.message)
        }
        var response = Response.json(text: "{}")
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

import Foundation
import ModelHubProtocol

/// Signing in commands with an OpenID Connect provider: a person allows the command on another page (RFC 8628).
extension Hub {
    /// The beginning of the tokens of signed-in commands. A session's number in a cookie has none, so neither can replace the other.
    static let commandTokenPrefix = "sos."

    /// Begins the sign-in of a command.
    ///
    /// - Returns: The provider's answer with a device code of the hub's own.
    /// - Throws: `.notFound` without a provider; `.failedPrecondition` if it has no sign-in for commands; `.unavailable` if it does not
    ///   answer.
    func beginDeviceSignIn() async throws -> DeviceAuthorization {
        var authorization = try await openIDProvider().authorizeDevice()
        let lifetime = min(max(authorization.lifetime, 1), OpenIDDeviceAttempt.longestLifetime)
        let end = now().advanced(by: .seconds(lifetime))
        let attempt = OpenIDDeviceAttempt(code: authorization.deviceCode, end: end.milliseconds)
        authorization.deviceCode = try signer.token(attempt, for: OpenIDDeviceAttempt.purpose)
        authorization.lifetime = lifetime
        authorization.interval = min(max(authorization.interval ?? OpenIDDeviceAttempt.usualInterval, 1), 60)
        return authorization
    }

    /// The end of a device sign-in.
    enum DeviceSignIn {
        case signedIn(OpenedSession)
        case refused(OpenIDRefusal)
    }

    /// Ends the sign-in of a command.
    ///
    /// - Parameter code: `DeviceAuthorization.deviceCode` of the hub's answer.
    /// - Throws: `.permissionDenied` if no group of the person has a role.
    func endDeviceSignIn(code: String) async throws -> DeviceSignIn {
        let provider = try openIDProvider()
        guard let attempt = signer.value(of: code, for: OpenIDDeviceAttempt.purpose, as: OpenIDDeviceAttempt.self)
        else { return .refused(OpenIDRefusal(code: "invalid_grant", explanation: nil)) }
        guard attempt.end > now().milliseconds else {
            return .refused(OpenIDRefusal(code: "expired_token", explanation: nil))
        }
        try await provider.prepareKeys()
        switch try await provider.tokens(forDeviceCode: attempt.code) {
        case .refusal(let reason): return .refused(reason)
        case .tokens(let tokens):
            let opened = try await openSession(tokens, nonce: nil, of: provider, prefix: Self.commandTokenPrefix)
            return .signedIn(opened)
        }
    }

    /// Signs a command out.
    func endDeviceSession(token: String) async throws {
        guard token.hasPrefix(Self.commandTokenPrefix), token.utf8.count <= 128,
            let session = try await records.consoleSession(idHash: Credential.hash(ofSecret: token))
        else { return }
        try await end(session)
    }
}

import Foundation
import HTTPServing
import ModelHubProtocol

/// The provider's token endpoint.
extension OpenIDProvider {
    /// The tokens that a provider gives for a grant.
    struct Tokens: Sendable {
        /// Nil only for a refresh token, if the provider repeats nothing of the person (OpenID Connect Core 1.0, section 12.2).
        var idToken: String?
        /// A text for new tokens, without the person; nil if the provider gives none.
        var refreshToken: String?
        /// The text in which the provider describes the person.
        var accessToken: Secret
        /// The time for which the provider's answer counts.
        var lifetime: Duration
    }

    /// The answer to a grant.
    enum TokenAnswer: Sendable {
        case tokens(Tokens)
        case refusal(OpenIDRefusal)
    }

    /// The seconds for which an answer without an ID token counts: if the provider does not say, and at most.
    private static let (usualLifetime, longestLifetime) = (300.0, 3600.0)

    /// Exchanges the code of a browser for tokens (RFC 6749, section 4.1.3; RFC 7636, section 4.5).
    ///
    /// - Throws: `.unauthenticated` if the provider refuses the code; `.unavailable` if it does not answer.
    func tokens(forCode code: String, verifier: String) async throws(HubError) -> Tokens {
        let answer = try await tokens(for: [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", settings.redirectAddress),
            ("code_verifier", verifier),
        ])
        switch answer {
        case .tokens(let tokens): return tokens
        case .refusal(let reason):
            throw HubError(
                .unauthenticated,
                "The sign-in provider refused the code of this sign-in: \(reason). Sign in again, or check the client id and secret of the hub."
            ).forWrongCredential
        }
    }

    /// Exchanges a refresh token for new tokens (OpenID Connect Core 1.0, section 12).
    ///
    /// - Throws: `.unavailable` if the provider does not answer, or refuses for a reason that is not the refresh token's own.
    func tokens(forRefreshToken token: String) async throws(HubError) -> TokenAnswer {
        let answer = try await tokens(for: [
            ("grant_type", "refresh_token"), ("refresh_token", token), ("scope", settings.scopes),
        ])
        if case .refusal(let reason) = answer, !reason.endsGrant {
            throw Self.unavailable("did not renew the session: \(reason)")
        }
        return answer
    }

    /// Asks whether a person has allowed a device (RFC 8628, section 3.4).
    func tokens(forDeviceCode code: String) async throws(HubError) -> TokenAnswer {
        try await tokens(for: [("grant_type", OpenIDDeviceAttempt.grant), ("device_code", code)])
    }

    private func tokens(for grant: [(String, String)]) async throws(HubError) -> TokenAnswer {
        struct Granted: Decodable {
            enum CodingKeys: String, CodingKey {
                case idToken = "id_token"
                case refreshToken = "refresh_token"
                case accessToken = "access_token"
                case lifetime = "expires_in"
            }
            var idToken: String?
            var refreshToken: String?
            var accessToken: String
            var lifetime: Double?
        }
        let answer = try await post(grant, to: try await discovery().token)
        switch answer.status {
        case 200:
            guard let granted = try? JSONDecoder().decode(Granted.self, from: answer.body) else {
                throw Self.unavailable("sent no readable tokens")
            }
            return .tokens(
                Tokens(
                    idToken: granted.idToken,
                    refreshToken: granted.refreshToken,
                    accessToken: Secret(granted.accessToken),
                    lifetime: .seconds(min(max(granted.lifetime ?? Self.usualLifetime, 1), Self.longestLifetime))
                )
            )
        case 400, 401:
            guard let reason = try? JSONDecoder().decode(OpenIDRefusal.self, from: answer.body) else {
                throw Self.unavailable("answered with the status \(answer.status), without a reason")
            }
            return .refusal(reason)
        default: throw Self.unavailable("answered a code with the status \(answer.status)")
        }
    }
}

import Foundation
import ModelHubProtocol

/// Sessions of people whom an OpenID Connect provider knows.
extension Hub {
    /// Begins a sign-in.
    ///
    /// - Parameter target: The page after signing in.
    /// - Returns: The provider's address for the browser, and the text that the browser must bring back.
    /// - Throws: `.unavailable` if the provider does not answer.
    func beginOpenIDSignIn(target: String) async throws -> (address: String, cookie: String) {
        let provider = try openIDProvider()
        let attempt = OpenIDAttempt(target: target, now: now())
        let address = try await provider.discovery().authorization
        let query = OpenIDRequests.text(of: [
            ("response_type", "code"), ("client_id", provider.settings.clientID),
            ("redirect_uri", provider.settings.redirectAddress), ("scope", provider.settings.scopes),
            ("state", attempt.state), ("nonce", attempt.nonce), ("code_challenge", attempt.challenge),
            ("code_challenge_method", "S256"),
        ])
        let cookie = try signer.token(attempt, for: OpenIDAttempt.purpose)
        return ("\(address)\(address.contains("?") ? "&" : "?")\(query)", cookie)
    }

    /// The sign-in that a browser began.
    ///
    /// - Throws: `.unauthenticated` unless this hub gave the cookie to the browser in the last ten minutes, and the provider's answer
    ///   belongs to it.
    func openIDAttempt(cookie: String, state: String) throws(HubError) -> OpenIDAttempt {
        guard let attempt = signer.value(of: cookie, for: OpenIDAttempt.purpose, as: OpenIDAttempt.self),
            attempt.end > now().milliseconds, attempt.state == state
        else {
            throw HubError(
                .unauthenticated,
                "This browser did not begin the sign-in, or began it more than 10 minutes ago; sign in again."
            )
        }
        return attempt
    }

    /// Starts a session with the provider's code.
    ///
    /// - Throws: `.unauthenticated` unless the provider vouches for the person; `.permissionDenied` if no group of the person has a role.
    func openSession(openIDCode code: String, of attempt: OpenIDAttempt) async throws -> OpenedSession {
        let provider = try openIDProvider()
        try await provider.prepareKeys()
        let tokens = try await provider.tokens(forCode: code, verifier: attempt.verifier)
        return try await openSession(tokens, nonce: attempt.nonce, of: provider)
    }

    /// Starts a session with the provider's tokens. It ends with the ID token, unless the provider renews it.
    ///
    /// - Parameters:
    ///   - nonce: The value that the hub sent with the browser; nil without a browser.
    ///   - prefix: The beginning of the session's number.
    func openSession(
        _ tokens: OpenIDProvider.Tokens,
        nonce: String?,
        of provider: OpenIDProvider,
        prefix: String = ""
    ) async throws -> OpenedSession {
        guard let idToken = tokens.idToken else { throw OpenIDProvider.unavailable("sent no ID token") }
        let token = try await OpenIDToken(idToken, nonce: nonce, from: provider, now: now())
        let claims = try claims(of: token, tokens, of: provider)
        guard !claims.groups.isEmpty else {
            throw HubError(
                .permissionDenied,
                "Your account is known, but \(token.groups.explanation(claim: provider.settings.groupsClaim))"
            )
        }
        // The name is the person's own choice at some providers, so it never stands alone.
        let name = String(token.name.unicodeScalars.filter { (32...126).contains($0.value) })
        guard var identity = identity(ofGroups: claims.groups) else { throw HubError.signIn }
        identity.actor = "\(name) (OpenID \(token.subject))"
        identity.bound = PowerBound(expiry: token.expiry)
        return try await openSession(
            identity,
            nil,
            role: identity.highestRole ?? .viewer,
            enclosure: nil,
            claims: claims,
            prefix: prefix
        )
    }

    /// The claims of a provider's tokens, as the hub stores them.
    func claims(
        of token: OpenIDToken,
        _ tokens: OpenIDProvider.Tokens,
        of provider: OpenIDProvider
    ) throws -> ProviderClaims {
        ProviderClaims(
            groups: provider.settings.known(token.groups.names),
            subject: token.subject,
            session: token.session,
            refreshToken: try tokens.refreshToken.map { try sealer(for: provider).sealed($0) }
        )
    }

    /// Seals refresh tokens. A thief who has the hub's records alone, without the client secret, can do nothing with them.
    func sealer(for provider: OpenIDProvider) -> Sealer {
        signer.sealer(for: "openid-refresh-token\n\(provider.settings.clientSecret?.text ?? "")")
    }

    /// The roles that groups of the provider have now; nil for none. A role that the operator took away is gone at once.
    func identity(ofGroups groups: Set<String>) -> Identity? {
        guard let grants = openID?.settings.grants(ofGroups: groups), !grants.isEmpty else { return nil }
        return Identity(actor: "", hubRole: grants.hub, projectRoles: grants.projects)
    }

    func openIDProvider() throws(HubError) -> OpenIDProvider {
        guard let openID else { throw HubError(.notFound, "This hub has no sign-in provider; sign in with a token.") }
        return openID
    }
}

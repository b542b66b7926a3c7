import Foundation
import ModelHubProtocol

/// The renewal of sessions by an OpenID Connect provider: a session lives as long as the provider's own.
extension Hub {
    /// The time that a hub has for a renewal, before another hub tries it.
    static let renewalTime = Duration.seconds(30)

    /// Renews a session whose ID token has ended. The present groups of the person come with the new ID token, or from the provider's
    /// endpoint for them; they stay if it has neither.
    ///
    /// A provider takes a refresh token only once, so one request in the whole fleet asks, and the others wait for it.
    ///
    /// - Returns: The session with its new end; nil if the provider's session has ended, and so this one.
    /// - Throws: `.unavailable` if the provider does not answer.
    func renewed(_ session: ConsoleSession) async throws -> ConsoleSession? {
        guard try await records.beginRenewal(of: session, at: now()) else {
            return try await renewedElsewhere(session)
        }
        // Its refresh token may have changed since it was read.
        guard let session = try await records.consoleSession(idHash: session.idHash) else { return nil }
        // The task continues if the client leaves: the answer with the next refresh token comes only once.
        return try await Task { try await self.askProvider(for: session) }.value
    }

    /// The end of a renewal.
    private enum Renewal {
        case renewed(ProviderClaims, Timestamp)
        /// The session is over, for a reason that the audit log repeats.
        case ended(String)
    }

    private func askProvider(for session: ConsoleSession) async throws -> ConsoleSession? {
        let renewal: Renewal
        do {
            renewal = try await self.renewal(of: session)
        } catch {
            try await records.endRenewal(of: session)
            throw error
        }
        switch renewal {
        case .renewed(let claims, let expiry):
            var renewed = session
            (renewed.claims, renewed.expiry) = (claims, expiry)
            try await records.renew(renewed)
            return renewed
        case .ended(let reason):
            try await end(session, reason)
            return nil
        }
    }

    /// The provider's present claims for the session's user.
    ///
    /// - Throws: `.unavailable` if the provider does not answer, or its answer cannot be checked yet.
    private func renewal(of session: ConsoleSession) async throws -> Renewal {
        guard let provider = openID, var claims = session.claims, let sealed = claims.refreshToken else {
            return .ended("it cannot be renewed")
        }
        guard let refreshToken = sealer(for: provider).opened(sealed) else {
            return .ended("the client secret of the hub has changed")
        }
        let tokens: OpenIDProvider.Tokens
        switch try await provider.tokens(forRefreshToken: refreshToken) {
        case .tokens(let granted): tokens = granted
        case .refusal(let reason): return .ended("its provider has ended it: \(reason)")
        }
        if let next = tokens.refreshToken {
            // Kept before anything else can fail: the provider takes the former one no more. It need not change it (RFC 6749, section 6).
            claims.refreshToken = try sealer(for: provider).sealed(next)
            try await records.keep(claims, of: session)
        }
        do {
            let person = try await person(tokens, of: provider)
            guard person.subject == nil || person.subject == claims.subject else {
                return .ended("its provider answers for another person")
            }
            if let groups = person.groups {
                claims.groups = provider.settings.known(groups.names)
                guard !claims.groups.isEmpty else {
                    return .ended(groups.explanation(claim: provider.settings.groupsClaim))
                }
            }
            return .renewed(claims, person.expiry)
        } catch let error as HubError where error.code == .unauthenticated {
            return .ended(error.message)
        }
    }

    /// The person and the person's groups, by the provider; and how long its claims count.
    private func person(
        _ tokens: OpenIDProvider.Tokens,
        of provider: OpenIDProvider
    ) async throws -> (subject: String?, groups: OpenIDGroups?, expiry: Timestamp) {
        if let idToken = tokens.idToken {
            let token = try await OpenIDToken(idToken, nonce: nil, from: provider, now: now())
            return (token.subject, token.groups, token.expiry)
        }
        let information = try await provider.userInformation(token: tokens.accessToken)
        return (information?.subject, information?.groups, now().advanced(by: tokens.lifetime))
    }

    private func renewedElsewhere(_ session: ConsoleSession) async throws -> ConsoleSession? {
        let end = ContinuousClock.now.advanced(by: .seconds(10))
        while ContinuousClock.now < end {
            guard let present = try await records.consoleSession(idHash: session.idHash) else { return nil }
            if present.expiry != session.expiry { return present }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw OpenIDProvider.unavailable("has not renewed the session yet")
    }

    /// Ends the sessions that a provider has ended (OpenID Connect Back-Channel Logout 1.0).
    ///
    /// - Throws: `.unauthenticated` unless the provider made the token.
    func endSessions(logoutToken text: String) async throws {
        let token = try await OpenIDLogoutToken(text, from: try openIDProvider(), now: now())
        for session in try await records.consoleSessions(ofProviderSession: token.session, subject: token.subject)
        where session.createTime.milliseconds <= token.time.milliseconds + 1000 {
            try await end(session, "its provider has ended it")
        }
    }

    private func end(_ session: ConsoleSession, _ reason: String) async throws {
        let entry = AuditEntry(
            time: now(),
            project: session.project.id,
            actor: session.actor,
            action: "console.end",
            target: "projects/\(session.project.id)",
            detail: "session \(session.id): \(reason)"
        )
        try await records.deleteConsoleSession(idHash: session.idHash, audit: entry)
    }
}

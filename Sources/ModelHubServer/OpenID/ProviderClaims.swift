import ModelHubProtocol

/// The claims of an OpenID Connect provider about the user of a session.
package struct ProviderClaims: Sendable, Hashable {
    /// The groups of the user, as far as the operator gave them roles.
    package var groups: Set<String>
    /// The provider's lasting name of the user.
    package var subject: String
    /// The provider's name of its own session; nil if it does not say.
    package var session: String?
    /// The sealed text for new tokens; nil if the session ends with its ID token.
    package var refreshToken: String?
}

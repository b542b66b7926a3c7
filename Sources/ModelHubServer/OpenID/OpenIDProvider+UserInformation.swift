import Foundation
import HTTPServing
import ModelHubProtocol

/// The provider's endpoint that describes a person (OpenID Connect Core 1.0, section 5.3).
extension OpenIDProvider {
    /// The provider's current claims about a person.
    struct UserInformation: Sendable {
        /// The provider's lasting name of the person.
        var subject: String
        /// The groups of the person.
        var groups: OpenIDGroups
    }

    /// Asks about a person.
    ///
    /// - Parameter token: The access token that the provider gave for the person.
    /// - Returns: Nil if the provider has no such endpoint.
    /// - Throws: `.unauthenticated` if it no longer vouches for the person; `.unavailable` if it does not answer.
    func userInformation(token: Secret) async throws(HubError) -> UserInformation? {
        guard let address = try await discovery().userInformation else { return nil }
        let answer = try await get(address, token: token)
        switch answer.status {
        case 200: break
        case 401, 403:
            throw HubError(
                .unauthenticated,
                "The sign-in provider no longer answers for the person (status \(answer.status)); sign in again."
            )
        default: throw Self.unavailable("answered with the status \(answer.status)")
        }
        guard let claims = try? JSONDecoder().decode([String: OpenIDSignature.Claim].self, from: answer.body),
            let subject = claims["sub"]?.value?.text
        else { throw Self.unavailable("does not say who the person is") }
        return UserInformation(subject: subject, groups: OpenIDGroups(in: claims, named: settings.groupsClaim))
    }
}

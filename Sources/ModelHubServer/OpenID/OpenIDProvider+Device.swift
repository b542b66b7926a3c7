import Foundation
import ModelHubProtocol

/// The provider's endpoint for devices without a browser (RFC 8628).
extension OpenIDProvider {
    /// Begins the sign-in of a device.
    ///
    /// - Throws: `.failedPrecondition` if the provider has no such sign-in; `.unavailable` if it does not answer.
    func authorizeDevice() async throws(HubError) -> DeviceAuthorization {
        guard let address = try await discovery().deviceAuthorization else {
            throw HubError(
                .failedPrecondition,
                "The sign-in provider of this hub has no sign-in for commands (RFC 8628); make a token in the console."
            )
        }
        var form = [("scope", settings.scopes)]
        if settings.clientSecret != nil { form.append(("client_id", settings.clientID)) }
        let answer = try await post(form, to: address)
        guard answer.status == 200,
            let begun = try? JSONDecoder().decode(DeviceAuthorization.self, from: answer.body),
            [begun.address, begun.completeAddress].compactMap(\.self).allSatisfy(settings.allows)
        else {
            throw Self.unavailable(
                "began no sign-in for a command (status \(answer.status)): its client may not be allowed to"
            )
        }
        return begun
    }
}

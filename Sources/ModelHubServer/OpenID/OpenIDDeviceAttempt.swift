import Foundation

/// A sign-in of a command that the provider has not answered yet. The command keeps it, signed by the hub, so that strangers who begin
/// sign-ins occupy nothing in the hub, and every hub of a fleet can finish it.
struct OpenIDDeviceAttempt: Codable, Sendable {
    /// The provider's code.
    var code: String
    /// The end, in milliseconds since 1970.
    var end: Int64

    /// The grant type of RFC 8628.
    static let grant = "urn:ietf:params:oauth:grant-type:device_code"
    /// The purpose of the hub's signature.
    static let purpose = "openid-device-attempt"
    /// The seconds between two questions that the provider leaves open (RFC 8628, section 3.2).
    static let usualInterval = 5
    /// The longest time that a person has, in seconds.
    static let longestLifetime = 1800
}

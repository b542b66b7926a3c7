/// The answer to the beginning of a device's sign-in (RFC 8628, section 3.2), from an OpenID Connect provider and from a hub.
package struct DeviceAuthorization: Codable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case deviceCode = "device_code"
        case userCode = "user_code"
        case address = "verification_uri"
        case completeAddress = "verification_uri_complete"
        case lifetime = "expires_in"
        case interval
    }

    /// The code with which the device asks for its token.
    package var deviceCode: String
    /// The code that a person enters.
    package var userCode: String
    /// The page on which a person enters the code.
    package var address: String
    /// The page that knows the code; nil if there is none.
    package var completeAddress: String?
    /// The lifetime of the codes in seconds.
    package var lifetime: Int
    /// The seconds between two requests for the token; nil for the default of 5 (RFC 8628, section 3.2).
    package var interval: Int?

    /// Creates an answer.
    package init(
        deviceCode: String,
        userCode: String,
        address: String,
        completeAddress: String?,
        lifetime: Int,
        interval: Int?
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.address = address
        self.completeAddress = completeAddress
        self.lifetime = lifetime
        self.interval = interval
    }
}

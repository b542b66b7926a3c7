import Foundation

/// An app on a device, as registered by Firebase's mobile SDKs.
struct Installation: Codable, Sendable, Hashable {
    /// The id, which the SDK chooses: 22 characters of base64url that begin with the bits 0111.
    var fid: String
    /// The app's id.
    var app: String
    /// The project's id.
    var project: String

    static func isID(_ text: String) -> Bool {
        text.utf8.count == 22 && Base64URL.data(text) != nil && text.first.map { "cdef".contains($0) } == true
    }

    static func makeID() -> String {
        var bytes = RandomBytes.make(17)
        bytes[0] = 0b0111_0000 | bytes[0] & 0x0F
        return String(Base64URL.text(bytes).prefix(22))
    }
}

/// The hub stores no installations: signed tokens contain the information that the hub needs.
extension Hub {
    private struct AuthToken: Codable {
        var installation: Installation
        var expires: Int64
    }

    /// A token, valid for a week, that proves the registration of an installation.
    func installationToken(for installation: Installation) throws -> String {
        let expiry = now().advanced(by: .seconds(604_800))
        return try signer.token(
            AuthToken(installation: installation, expires: expiry.milliseconds),
            for: "installation"
        )
    }

    /// A token with which an installation obtains new tokens.
    func refreshToken(for installation: Installation) throws -> String {
        try signer.token(installation, for: "installation refresh")
    }

    /// The installation of a valid token; nil for any other token.
    func installation(token: String) -> Installation? {
        guard let content = signer.value(of: token, for: "installation", as: AuthToken.self),
            content.expires > now().milliseconds
        else { return nil }
        return content.installation
    }

    /// The installation of a refresh token.
    func installation(refreshToken: String) -> Installation? {
        signer.value(of: refreshToken, for: "installation refresh", as: Installation.self)
    }
}

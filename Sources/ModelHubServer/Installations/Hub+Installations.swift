import Foundation

/// An app on a device, as Firebase's mobile SDKs register themselves.
struct Installation: Codable, Sendable, Hashable {
    /// Its id, which the SDK chooses: 22 characters of base64url of which the first four bits are 0111.
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

/// Nothing of an installation is stored: its tokens carry what the hub wants to know of it, signed.
extension Hub {
    private struct AuthToken: Codable {
        var installation: Installation
        var expires: Int64
    }

    /// A token for a week, by which an installation shows that it registered here.
    func installationToken(for installation: Installation) throws -> String {
        let expiry = now().advanced(by: .seconds(604_800))
        return try signer.token(
            AuthToken(installation: installation, expires: expiry.milliseconds),
            for: "installation"
        )
    }

    /// A token by which an installation gets new ones.
    func refreshToken(for installation: Installation) throws -> String {
        try signer.token(installation, for: "installation refresh")
    }

    /// The installation of a token that is valid now; nil for any other.
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

import Foundation

/// An app on a device, as registered by Firebase's mobile SDKs.
struct Installation: Codable, Sendable, Hashable {
    /// The id, which the SDK chooses: 22 characters of base64url that begin with the bits 0111.
    var fid: String
    /// The app's id.
    var app: String
    /// The project's id.
    var project: String
    /// The network of an installation that does not count separately, as a hash: too many registered from there within an hour. All
    /// installations of a crowd count as one.
    var crowd: String?

    /// The text that stands for the installation where installations are counted.
    var countedAs: String { crowd.map { "crowd \($0)" } ?? fid }
}

/// The hub stores no installations: signed tokens contain the information that the hub needs.
extension Hub {
    private struct AuthToken: Codable {
        var installation: Installation
        var expires: Int64
    }

    /// The validity of a token of an installation, in seconds: a week.
    static let installationSeconds = 604_800

    /// A token, valid for a week, that proves the registration of an installation.
    func installationToken(for installation: Installation) throws -> String {
        let expiry = now().advanced(by: .seconds(Self.installationSeconds))
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

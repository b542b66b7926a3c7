import Foundation
import JWTKit
import ModelHubProtocol

/// A provider's message that a session has ended, whose signature and claims were checked (OpenID Connect Back-Channel Logout 1.0,
/// section 2.6).
struct OpenIDLogoutToken: Sendable {
    /// The provider's name of the person; nil if ``session`` alone counts.
    var subject: String?
    /// The provider's name of its session; nil for all sessions of the person.
    var session: String?
    /// When the provider made the token. Later sessions stay.
    var time: Timestamp

    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// The longest time from the making of a token to its arrival, in seconds.
    private static let delay = 600.0

    private struct Event: Codable, Sendable {}

    private struct Claims: JWTPayload {
        var iss: String
        var aud: OpenIDSignature.TextOrTexts
        var iat: Double
        var exp: Double?
        var sub: String?
        var sid: String?
        var events: [String: Event]
        var nonce: String?

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    /// Checks a token.
    ///
    /// - Throws: `.unauthenticated` unless the provider made the token for this hub, and it is valid now.
    init(_ text: String, from provider: OpenIDProvider, now: Timestamp) async throws(HubError) {
        let claims = try await OpenIDSignature.claims(of: text, from: provider, as: Claims.self).claims
        let clock = Double(now.milliseconds) / 1000
        guard claims.iss == provider.settings.issuer else { throw OpenIDSignature.refusal("is of another issuer") }
        guard claims.aud.texts.contains(provider.settings.clientID) else {
            throw OpenIDSignature.refusal("is for another program than this hub")
        }
        // An ID token has no such event, so that none ends a session.
        guard claims.events[Self.event] != nil, claims.nonce == nil, claims.sub != nil || claims.sid != nil else {
            throw OpenIDSignature.refusal("does not end a session")
        }
        let end = claims.exp ?? (claims.iat + Self.delay)
        guard claims.iat < clock + OpenIDSignature.leeway, end > clock - OpenIDSignature.leeway,
            claims.iat > clock - Self.delay - OpenIDSignature.leeway
        else { throw OpenIDSignature.refusal("is not valid now") }
        subject = claims.sub
        session = claims.sid
        time = Timestamp(milliseconds: Int64(claims.iat * 1000))
    }
}

import Foundation
import JWTKit
import ModelHubProtocol

/// An ID token whose signature and claims were checked (OpenID Connect Core 1.0, section 3.1.3.7).
struct OpenIDToken: Sendable {
    /// The provider's lasting name of the person.
    var subject: String
    /// The provider's name of its session; nil if it does not say (OpenID Connect Back-Channel Logout 1.0, section 2.1).
    var session: String?
    /// The person's name to show; the provider does not vouch for it.
    var name: String
    /// The groups of the person.
    var groups: OpenIDGroups
    /// The end of the token.
    var expiry: Timestamp

    /// The claims, before anything but their signature is checked.
    private struct Claims: JWTPayload {
        var iss: String
        var sub: String
        var aud: OpenIDSignature.TextOrTexts
        var exp: Double
        var iat: Double
        var nbf: Double?
        var nonce: String?
        var azp: String?
        var sid: String?
        var email: String?
        var userName: String?

        enum CodingKeys: String, CodingKey {
            case iss, sub, aud, exp, iat, nbf, nonce, azp, sid, email
            case userName = "preferred_username"
        }

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    /// Checks a token.
    ///
    /// - Parameters:
    ///   - nonce: The value that the hub sent with the browser; nil for a token that no browser asked for.
    ///   - provider: The provider, whose keys count.
    /// - Throws: `.unauthenticated` unless the provider made the token for this hub and this sign-in, and it is valid now.
    init(_ text: String, nonce: String?, from provider: OpenIDProvider, now: Timestamp) async throws(HubError) {
        let (claims, payload) = try await OpenIDSignature.claims(of: text, from: provider, as: Claims.self)
        try Self.check(claims, nonce: nonce, provider.settings, now)
        subject = claims.sub
        session = claims.sid
        name = String((claims.email ?? claims.userName ?? claims.sub).prefix(120))
        expiry = Timestamp(milliseconds: Int64(min(claims.exp, 1e11) * 1000))
        groups = try Self.groups(in: payload, provider.settings.groupsClaim)
    }

    private static func check(
        _ claims: Claims,
        nonce: String?,
        _ settings: OpenIDSettings,
        _ now: Timestamp
    ) throws(HubError) {
        guard claims.iss == settings.issuer else { throw OpenIDSignature.refusal("is of another issuer") }
        let audience = claims.aud.texts
        guard audience.contains(settings.clientID), audience.count == 1 || claims.azp != nil,
            claims.azp == nil || claims.azp == settings.clientID
        else { throw OpenIDSignature.refusal("is for another program than this hub") }
        guard nonce == nil || claims.nonce == nonce else { throw OpenIDSignature.refusal("belongs to another sign-in") }
        guard (1...255).contains(claims.sub.utf8.count), claims.sub.utf8.allSatisfy({ (32...126).contains($0) }) else {
            throw OpenIDSignature.refusal("does not name a person")
        }
        let time = Double(now.milliseconds) / 1000
        guard claims.exp > time - OpenIDSignature.leeway,
            max(claims.iat, claims.nbf ?? 0) < time + OpenIDSignature.leeway
        else {
            throw OpenIDSignature.refusal(
                "is not valid now (clocks may differ by \(Int(OpenIDSignature.leeway)) seconds)"
            )
        }
    }

    private static func groups(in payload: Substring, _ claim: String) throws(HubError) -> OpenIDGroups {
        guard let data = Base64URL.data(payload),
            let claims = try? JSONDecoder().decode([String: OpenIDSignature.Claim].self, from: data)
        else { throw OpenIDSignature.refusal("has no readable claims") }
        return OpenIDGroups(in: claims, named: claim)
    }
}

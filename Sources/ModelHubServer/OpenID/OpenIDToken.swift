import Foundation
import JWTKit
import ModelHubProtocol

/// An ID token whose signature and claims were checked (OpenID Connect Core 1.0, section 3.1.3.7).
struct OpenIDToken: Sendable {
    /// The provider's lasting name of the person.
    var subject: String
    /// The person's name to show; the provider does not vouch for it.
    var name: String
    /// The groups of the person.
    var groups: Set<String>
    /// The end of the token.
    var expiry: Timestamp

    /// The signatures that the hub accepts: those of key pairs. HMAC would let the holder of a public text sign, and `none` anybody.
    private static let families: [String: JWK.KeyType] = [
        "RS256": .rsa, "RS384": .rsa, "RS512": .rsa, "PS256": .rsa, "PS384": .rsa, "PS512": .rsa,
        "ES256": .ecdsa, "ES384": .ecdsa, "ES512": .ecdsa,
    ]
    /// The largest token.
    private static let byteLimit = 1 << 20
    /// The largest difference between the clocks of provider and hub, in seconds.
    private static let leeway = 60.0

    private struct Header {
        var algorithm: String
        var keyID: String?

        /// Reads a header of texts alone. jwt-kit 5.7.1 traps at numbers beyond the integers, and no field with another value changes how
        /// the hub checks a token; `crit` (RFC 7515, section 4.1.11) names extensions, of which the hub knows none.
        init?(_ text: some StringProtocol) {
            guard text.utf8.count <= 8192, let data = Base64URL.data(text),
                let fields = try? JSONDecoder().decode([String: TextOrTexts].self, from: data),
                fields["crit"] == nil, let algorithm = fields["alg"]?.text
            else { return nil }
            self.algorithm = algorithm
            if let id = fields["kid"] {
                guard let text = id.text else { return nil }
                keyID = text
            }
        }
    }

    /// A text, or a list of texts.
    private struct TextOrTexts: Codable {
        var texts: [String]
        var text: String?

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            text = try? value.decode(String.self)
            texts = try text.map { [$0] } ?? value.decode([String].self)
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            try value.encode(texts)
        }
    }

    /// The claims, before anything but their signature is checked.
    private struct Claims: JWTPayload {
        var iss: String
        var sub: String
        var aud: TextOrTexts
        var exp: Double
        var iat: Double
        var nbf: Double?
        var nonce: String?
        var azp: String?
        var email: String?
        var userName: String?

        enum CodingKeys: String, CodingKey {
            case iss, sub, aud, exp, iat, nbf, nonce, azp, email
            case userName = "preferred_username"
        }

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    /// Checks a token.
    ///
    /// - Parameters:
    ///   - nonce: The value that the hub sent with the browser.
    ///   - provider: The provider, whose keys count.
    /// - Throws: `.unauthenticated` unless the provider made the token for this hub and this sign-in, and it is valid now.
    init(_ text: String, nonce: String, from provider: OpenIDProvider, now: Timestamp) async throws(HubError) {
        let settings = provider.settings
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.byteLimit, parts.count == 3, let header = Header(parts[0]) else {
            throw Self.refusal("is not a signed JSON Web Token")
        }
        guard let family = Self.families[header.algorithm], let algorithm = JWK.Algorithm(rawValue: header.algorithm)
        else { throw Self.refusal("is signed with \"\(header.algorithm.prefix(16))\", which the hub does not accept") }
        let keys = try await provider.keys(withID: header.keyID).filter {
            $0.jwk.keyType == family && ($0.jwk.algorithm == nil || $0.jwk.algorithm == algorithm)
                && Self.isStrong($0.jwk)
        }
        guard let key = keys.first, keys.count == 1 else { throw Self.refusal("is signed with an unknown key") }
        let claims = try await Self.claims(of: text, by: key.jwk, algorithm)
        try Self.check(claims, nonce: nonce, settings, now)
        subject = claims.sub
        name = String((claims.email ?? claims.userName ?? claims.sub).prefix(120))
        expiry = Timestamp(milliseconds: Int64(min(claims.exp, 1e11) * 1000))
        groups = try Self.groups(in: parts[1], settings.groupsClaim)
    }

    /// Whether a key has a size that signatures need. Sizes far beyond would occupy the hub.
    private static func isStrong(_ key: JWK) -> Bool {
        guard key.keyType == .rsa else { return true }
        guard let modulus = key.modulus.flatMap({ Base64URL.data($0) }),
            let exponent = key.exponent.flatMap({ Base64URL.data($0) })
        else { return false }
        return (256...1024).contains(modulus.count) && (1...4).contains(exponent.count)
    }

    private static func claims(
        of text: String,
        by key: JWK,
        _ algorithm: JWK.Algorithm
    ) async throws(HubError) -> Claims {
        var key = key
        // One key with one algorithm: whatever the token says, nothing else can check it.
        key.algorithm = algorithm
        key.keyIdentifier = key.keyIdentifier ?? "only"
        (key.privateExponent, key.prime1, key.prime2) = (nil, nil, nil)
        do {
            return try await JWTKeyCollection().add(jwk: key).verify(text, as: Claims.self)
        } catch let error as JWTError where error.errorType == .signatureVerificationFailed {
            throw refusal("has a wrong signature")
        } catch {
            throw refusal("cannot be checked")
        }
    }

    private static func check(
        _ claims: Claims,
        nonce: String,
        _ settings: OpenIDSettings,
        _ now: Timestamp
    ) throws(HubError) {
        guard claims.iss == settings.issuer else { throw refusal("is of another issuer") }
        let audience = claims.aud.texts
        guard audience.contains(settings.clientID), audience.count == 1 || claims.azp != nil,
            claims.azp == nil || claims.azp == settings.clientID
        else { throw refusal("is for another program than this hub") }
        guard claims.nonce == nonce else { throw refusal("belongs to another sign-in") }
        guard (1...255).contains(claims.sub.utf8.count), claims.sub.utf8.allSatisfy({ (32...126).contains($0) }) else {
            throw refusal("does not name a person")
        }
        let time = Double(now.milliseconds) / 1000
        guard claims.exp > time - leeway, max(claims.iat, claims.nbf ?? 0) < time + leeway else {
            throw refusal("is not valid now (clocks may differ by \(Int(leeway)) seconds)")
        }
    }

    /// The groups: a text is one group, anything but a text or a list of texts none.
    private static func groups(in payload: Substring, _ claim: String) throws(HubError) -> Set<String> {
        struct Claim: Decodable {
            var value: TextOrTexts?
            init(from decoder: any Decoder) throws { value = try? TextOrTexts(from: decoder) }
        }
        guard let data = Base64URL.data(payload),
            let claims = try? JSONDecoder().decode([String: Claim].self, from: data)
        else { throw refusal("has no readable claims") }
        return Set(claims[claim]?.value?.texts ?? [])
    }

    private static func refusal(_ reason: String) -> HubError {
        HubError(
            .unauthenticated,
            "The sign-in provider's token \(reason); sign in again, or ask the operator of the hub."
        )
        .forWrongCredential
    }
}

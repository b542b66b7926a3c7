import Foundation
import JWTKit
import ModelHubProtocol

/// The claims of JSON Web Tokens that an OpenID Connect provider signed (OpenID Connect Core 1.0, section 3.1.3.7).
enum OpenIDSignature {
    /// The signatures that the hub accepts: those of key pairs. HMAC would let the holder of a public text sign, and `none` anyone.
    private static let families: [String: JWK.KeyType] = [
        "RS256": .rsa, "RS384": .rsa, "RS512": .rsa, "PS256": .rsa, "PS384": .rsa, "PS512": .rsa,
        "ES256": .ecdsa, "ES384": .ecdsa, "ES512": .ecdsa,
    ]
    /// The largest token.
    private static let byteLimit = 1 << 20
    /// The largest difference between the clocks of provider and hub, in seconds.
    static let leeway = 60.0

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
    struct TextOrTexts: Codable, Sendable {
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

    /// A claim, of which only a text, a list of texts, or the names of an object's members count.
    struct Claim: Decodable {
        private struct Name: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var value: TextOrTexts?
        /// The names of the members, if the claim is an object.
        var members: Set<String>
        /// Whether the claim is null, which is as good as no claim.
        var isNull: Bool

        init(from decoder: any Decoder) throws {
            value = try? TextOrTexts(from: decoder)
            isNull = (try? decoder.singleValueContainer())?.decodeNil() ?? false
            members = Set((try? decoder.container(keyedBy: Name.self))?.allKeys.map(\.stringValue) ?? [])
        }
    }

    /// Checks the signature of a token.
    ///
    /// - Returns: Its claims, and their text in base64url.
    /// - Throws: `.unauthenticated` unless a key that the provider publishes signed the token.
    static func claims<Claims: JWTPayload>(
        of text: String,
        from provider: OpenIDProvider,
        as type: Claims.Type
    ) async throws(HubError) -> (claims: Claims, text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= byteLimit, parts.count == 3, let header = Header(parts[0]) else {
            throw refusal("is not a signed JSON Web Token")
        }
        guard let family = families[header.algorithm], let algorithm = JWK.Algorithm(rawValue: header.algorithm)
        else { throw refusal("is signed with \"\(header.algorithm.prefix(16))\", which the hub does not accept") }
        let keys = try await provider.keys(withID: header.keyID).filter {
            $0.jwk.keyType == family && ($0.jwk.algorithm == nil || $0.jwk.algorithm == algorithm) && isStrong($0.jwk)
        }
        guard let key = keys.first, keys.count == 1 else { throw refusal("is signed with an unknown key") }
        return (try await claims(of: text, by: key.jwk, algorithm), parts[1])
    }

    /// Whether a key has a size that signatures need. Sizes far beyond would occupy the hub.
    private static func isStrong(_ key: JWK) -> Bool {
        guard key.keyType == .rsa else { return true }
        guard let modulus = key.modulus.flatMap({ Base64URL.data($0) }),
            let exponent = key.exponent.flatMap({ Base64URL.data($0) })
        else { return false }
        return (256...1024).contains(modulus.count) && (1...4).contains(exponent.count)
    }

    private static func claims<Claims: JWTPayload>(
        of text: String,
        by key: JWK,
        _ algorithm: JWK.Algorithm
    ) async throws(HubError) -> Claims {
        var key = key
        // One key with one algorithm: the token cannot choose another one.
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

    static func refusal(_ reason: String) -> HubError {
        HubError(
            .unauthenticated,
            "The sign-in provider's token \(reason); sign in again, or ask the operator of the hub."
        )
        .forWrongCredential
    }
}

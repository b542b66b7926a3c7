import CryptoExtras
import Foundation

/// What a service account shows to get a bearer token: a JSON Web Token that it signed with its RSA key (RFC 7523).
struct ServiceAccountAssertion: Sendable {
    struct Header: Decodable, Sendable {
        var alg: String
        /// The id of the key. Google's libraries for Node leave it out.
        var kid: String?
    }

    struct Claims: Decodable, Sendable {
        var iss: String
        var aud: String
        var iat: Double
        var exp: Double
    }

    let header: Header
    let claims: Claims
    private let signedText: String
    private let signature: Data

    /// Reads an assertion without believing it yet.
    init(_ text: String) throws(HubError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 16_384, parts.count == 3, let header = Base64URL.data(parts[0]),
            let claims = Base64URL.data(parts[1]), let signature = Base64URL.data(parts[2]),
            let decodedHeader = try? JSONDecoder().decode(Header.self, from: header),
            let decodedClaims = try? JSONDecoder().decode(Claims.self, from: claims),
            // SQLite would ignore what follows.
            decodedHeader.kid?.utf8.contains(0) != true
        else {
            throw HubError(
                .invalidArgument,
                "The assertion is no signed JSON Web Token; sign in with a key file of this hub."
            )
        }
        self.header = decodedHeader
        self.claims = decodedClaims
        self.signature = signature
        signedText = "\(parts[0]).\(parts[1])"
    }

    /// How far the clocks of client and hub may differ.
    private static let clockTolerance = 300.0

    /// The audience that Google's libraries write for every token endpoint, whatever the key file's `token_uri` says.
    private static let googleAudience = "https://oauth2.googleapis.com/token"

    /// Checks everything but the signature.
    ///
    /// - Parameter address: the hub's address if it is known. Where it is not, any token endpoint may be the audience, since
    ///   clients may know the hub by several names. What the same key signed for another kind of service is refused.
    func check(now: Timestamp, address: String?) throws(HubError) {
        guard header.alg == "RS256" else {
            throw HubError(
                .unauthenticated,
                "The assertion is signed with \"\(header.alg.prefix(16))\" instead of RS256."
            )
        }
        let isForTokens = address.map { claims.aud == "\($0)/token" } ?? claims.aud.hasSuffix("/token")
        guard isForTokens || claims.aud == Self.googleAudience else {
            throw HubError(
                .unauthenticated,
                "The assertion is meant for \"\(claims.aud.prefix(80))\", not for the token endpoint of this hub; make the key file "
                    + "with the hub's --address."
            )
        }
        let time = Double(now.milliseconds) / 1000
        guard claims.exp > time - Self.clockTolerance, claims.iat < time + Self.clockTolerance,
            claims.exp - claims.iat <= 3600 + Self.clockTolerance
        else {
            throw HubError(
                .unauthenticated,
                "The assertion is not valid now; set the clock of the machine that signs it."
            )
        }
    }

    /// Whether the private key that belongs to a public one signed it.
    func isSigned(by pem: String) -> Bool {
        guard let key = try? _RSA.Signing.PublicKey(pemRepresentation: pem) else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature),
            for: Data(signedText.utf8),
            padding: .insecurePKCS1v1_5
        )
    }
}

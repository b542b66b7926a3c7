import CryptoExtras
import Foundation

/// What a service account shows to get a bearer token: a JSON Web Token that it signed with its RSA key (RFC 7523).
struct ServiceAccountAssertion: Sendable {
    struct Header: Decodable, Sendable {
        var alg: String
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
            let decodedClaims = try? JSONDecoder().decode(Claims.self, from: claims)
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

    /// Checks the signature and the times.
    ///
    /// The audience is not compared with this hub's address, which clients may know by several names: a key belongs to
    /// one hub, so that an assertion signed with it is meant for no other.
    func verify(publicKey pem: String, now: Timestamp) throws(HubError) {
        guard header.alg == "RS256" else {
            throw HubError(
                .unauthenticated,
                "The assertion is signed with \"\(header.alg.prefix(16))\" instead of RS256."
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
        let isValid: Bool
        do {
            let key = try _RSA.Signing.PublicKey(pemRepresentation: pem)
            isValid = key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature),
                for: Data(signedText.utf8),
                padding: .insecurePKCS1v1_5
            )
        } catch {
            throw HubError(.internal, "The public key of the service account is damaged; make a new key file.")
        }
        guard isValid else {
            throw HubError(
                .unauthenticated,
                "The signature of the assertion is wrong; use a key file that this hub issued."
            )
        }
    }
}

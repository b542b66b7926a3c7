import Foundation
import ModelHubProtocol

/// A service account's request for a bearer token: a JSON Web Token signed with its RSA key (RFC 7523).
///
/// It must be read before its signature is verified, because its header names the key. The package jwt-kit 5.7.1 traps
/// while it reads a header with a number beyond the integers, such as 1e300, and does not compare the header's algorithm
/// with that of the key.
struct ServiceAccountAssertion: Sendable {
    struct Header: Decodable, Sendable {
        var alg: String
        /// The id of the key. Google's libraries for Node omit it.
        var kid: String?
    }

    struct Claims: Decodable, Sendable {
        var iss: String
        var aud: String
        var iat: Double
        var exp: Double
        /// The beginning of its validity, if it is not `iat`.
        var nbf: Double?
    }

    let header: Header
    let claims: Claims
    private let signedText: String
    private let signature: Data

    /// Reads an assertion without verifying it.
    init(_ text: String) throws(HubError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 16_384, parts.count == 3, let header = Base64URL.data(parts[0]),
            let claims = Base64URL.data(parts[1]), let signature = Base64URL.data(parts[2]),
            let decodedHeader = try? JSONDecoder().decode(Header.self, from: header),
            let decodedClaims = try? JSONDecoder().decode(Claims.self, from: claims),
            // SQLite would ignore the bytes after a zero byte.
            decodedHeader.kid?.utf8.contains(0) != true
        else {
            throw HubError(
                .invalidArgument,
                "The assertion is not a signed JSON Web Token; sign in with a key file of this hub."
            )
        }
        self.header = decodedHeader
        self.claims = decodedClaims
        self.signature = signature
        signedText = "\(parts[0]).\(parts[1])"
    }

    /// The maximum difference between the clocks of client and hub.
    private static let clockTolerance = 300.0

    /// The audiences that Google's libraries write for every token endpoint, regardless of the key file's `token_uri`. The later two are those
    /// of key files and libraries up to 2018, and of firebase-admin-node up to 12.
    private static let googleAudiences = [
        "https://oauth2.googleapis.com/token", "https://accounts.google.com/o/oauth2/token",
        "https://www.googleapis.com/oauth2/v4/token",
    ]

    /// Checks everything except the signature.
    ///
    /// - Parameter address: The hub's address: the one that the operator set, otherwise the one that the client used.
    func check(now: Timestamp, address: HubAddress) throws(HubError) {
        guard header.alg == "RS256" else {
            throw HubError(
                .unauthenticated,
                "The assertion is signed with \"\(header.alg.prefix(16))\" instead of RS256."
            )
        }
        guard address.isTokenEndpoint(claims.aud) || Self.googleAudiences.contains(claims.aud) else {
            throw HubError(
                .unauthenticated,
                "The assertion is intended for \"\(claims.aud.prefix(80))\", not for the token endpoint of this hub, \(address.text)/token; create the key "
                    + "file with the hub's --address, and start the hub with it as --public-address."
            )
        }
        let time = Double(now.milliseconds) / 1000
        guard claims.exp > time - Self.clockTolerance, max(claims.iat, claims.nbf ?? 0) < time + Self.clockTolerance,
            claims.exp - claims.iat <= 3600 + Self.clockTolerance
        else {
            throw HubError(
                .unauthenticated,
                "The assertion is not valid now; set the clock of the machine that signs it."
            )
        }
    }

    /// The address of the hub for which an assertion must be.
    enum HubAddress: Sendable {
        /// The address that the operator set.
        case operators(String)
        /// The address in the client's request. A proxy that adds TLS may hide the scheme, so only the host counts.
        case clients(String)

        var text: String {
            switch self {
            case .operators(let text), .clients(let text): text
            }
        }

        func isTokenEndpoint(_ audience: String) -> Bool {
            switch self {
            case .operators(let address): audience == "\(address)/token"
            case .clients(let address):
                audience.hasSuffix("/token")
                    && Self.host(String(audience.dropLast("/token".count))).map { $0 == Self.host(address) } ?? false
            }
        }

        /// The host, with the port unless it is the scheme's own; nil if there is more than that.
        private static func host(_ address: String) -> String? {
            guard let parts = URLComponents(string: address), let host = parts.host, let scheme = parts.scheme,
                parts.path.isEmpty, parts.query == nil, parts.user == nil
            else { return nil }
            let usual = ["http": 80, "https": 443][scheme]
            return "\(host.lowercased()):\(parts.port == usual ? "" : parts.port.map { "\($0)" } ?? "")"
        }
    }

    /// Whether the signature belongs to a public key.
    func isSigned(by pem: String) -> Bool { RSASignatures.isValid(signature, of: signedText, by: pem) }
}

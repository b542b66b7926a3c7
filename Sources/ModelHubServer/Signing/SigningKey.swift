import Crypto
import Foundation
import ModelHubProtocol

/// The private part of a key that signs manifests: Ed25519 (RFC 8032).
///
/// Its file is PKCS #8 in PEM (RFC 8410, section 7), which OpenSSL reads and writes too.
package struct SigningKey: Sendable {
    /// The private part, 32 bytes.
    private let seed: Data
    /// The public part, 32 bytes.
    package let publicKey: Data

    /// The 16 bytes that precede the private part in PKCS #8: version 0, the algorithm 1.3.101.112, and two strings of octets.
    private static let prefix = Data([
        0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ])
    private static let head = "-----BEGIN PRIVATE KEY-----"
    private static let foot = "-----END PRIVATE KEY-----"

    /// Makes a new key.
    package init() { self.init(Curve25519.Signing.PrivateKey()) }

    private init(_ key: Curve25519.Signing.PrivateKey) {
        (seed, publicKey) = (key.rawRepresentation, key.publicKey.rawRepresentation)
    }

    /// Reads the private part.
    ///
    /// - Throws: `.invalidArgument` unless the text is the PEM file of an Ed25519 key.
    package init(pem text: String) throws(HubError) {
        let lines = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isFile = lines.hasPrefix(Self.head) && lines.hasSuffix(Self.foot)
        let digits = lines.dropFirst(Self.head.count).dropLast(Self.foot.count).filter { $0 != " " }
        guard isFile, let data = Data(base64Encoded: String(digits)), data.count == Self.prefix.count + 32,
            data.starts(with: Self.prefix),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: data.dropFirst(Self.prefix.count))
        else {
            throw HubError(
                .invalidArgument,
                "The file is not the private part of an Ed25519 key; use one that `sightline hub key create --signing` or `openssl "
                    + "genpkey -algorithm ed25519` wrote."
            )
        }
        self.init(key)
    }

    /// The file with the private part.
    package var pem: String {
        "\(Self.head)\n\((Self.prefix + seed).base64EncodedString())\n\(Self.foot)\n"
    }

    /// The id of the key.
    package var id: String { SigningKeyID.of(publicKey) }

    /// Signs a manifest that names this key.
    package func sign(_ manifest: ModelManifest) throws(HubError) -> SignedManifest {
        var manifest = manifest
        manifest.key = id
        let body = Data(manifest.text.utf8)
        do {
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
            return SignedManifest(body: body, signature: try key.signature(for: body))
        } catch {
            throw HubError(.internal, "The key \(id.prefix(12)) cannot sign (\(error)); create another key.")
        }
    }

    /// Whether a key with a public part signed a manifest.
    package static func signed(_ manifest: SignedManifest, publicKey: Data) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(manifest.signature, for: manifest.body)
    }
}

import Foundation
import ModelHubProtocol

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// The public part of a key whose signatures on models an app trusts: Ed25519 (RFC 8032).
///
/// `sightline hub key create --signing NAME` prints it.
public struct TrustedKey: Sendable, Hashable {
    /// The id of the key in manifests and in the hub's list of keys, 40 hexadecimal digits.
    public let id: String
    /// The public part, 32 bytes.
    private let bytes: Data

    /// Reads a public part.
    ///
    /// - Parameter text: 32 bytes in base64url without padding, 43 characters.
    /// - Throws: ``ConfigurationError/invalidTrustedKey(_:)``.
    public init(_ text: String) throws(ConfigurationError) {
        guard let bytes = SigningKeyID.publicKey(text) else { throw .invalidTrustedKey(text) }
        self.bytes = bytes
        id = SigningKeyID.of(bytes)
    }

    /// The key of a `GoogleService-Info.plist` that contains the list of trusted keys.
    package static let propertyListKey = "MODEL_HUB_TRUSTED_KEYS"

    /// Reads the list of trusted keys in a configuration; without keys if there is no list.
    ///
    /// - Throws: ``ConfigurationError/invalidTrustedKey(_:)`` for anything but a list of public parts, an empty list included: it
    ///   would trust nothing, or everything.
    package static func list(_ value: Any?) throws(ConfigurationError) -> [TrustedKey] {
        guard let value else { return [] }
        guard let texts = value as? [String], !texts.isEmpty else { throw .invalidTrustedKey("\(value)") }
        var keys: [TrustedKey] = []
        for text in texts { keys.append(try TrustedKey(text)) }
        return keys
    }

    /// Whether the key signed a manifest.
    func signed(_ manifest: SignedManifest) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else { return false }
        return key.isValidSignature(manifest.signature, for: manifest.body)
    }
}

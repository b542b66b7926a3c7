import DurableFiles
import Foundation

/// The id of a key that signs manifests: the first 40 hexadecimal digits of the SHA-256 of its public part.
///
/// Anybody who has the public part can compute it, so a hub cannot give an id to another key.
package enum SigningKeyID {
    /// The size of the public part of an Ed25519 key in bytes.
    package static let publicKeyByteCount = 32

    /// The id of a public part.
    package static func of(_ publicKey: Data) -> String {
        String(SHA256.hexadecimalDigest(of: publicKey).prefix(40))
    }

    /// Whether a text has the form of an id.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 40 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// The public part in a text of base64url without padding, 43 characters; nil for any other text.
    package static func publicKey(_ text: some StringProtocol) -> Data? {
        guard let data = Base64URL.data(text), data.count == publicKeyByteCount, Base64URL.text(data) == text else {
            return nil
        }
        return data
    }
}

import CryptoExtras
import Foundation

/// RSA signatures with SHA-256 and the padding of PKCS #1 (RFC 8017, section 8.2), as Google's libraries make them.
enum RSASignatures {
    /// Whether a signature of a text belongs to a public key.
    static func isValid(_ signature: Data, of text: String, by pem: String) -> Bool {
        guard let key = try? _RSA.Signing.PublicKey(pemRepresentation: pem) else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature),
            for: Data(text.utf8),
            padding: .insecurePKCS1v1_5
        )
    }
}

import CSHA256
import Foundation

/// A SHA-256 that takes its bytes in pieces.
///
/// The raw bytes here are sound: each call of C reads a buffer's own start and count, or writes the 32 bytes of an array of 32.
package struct SHA256 {
    private var hash = csha256_empty()

    /// Creates the hash of no bytes.
    package init() {}

    /// Adds bytes at the end.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        csha256_update(&hash, bytes.baseAddress, bytes.count)
    }

    /// The digest of all bytes so far, 32 bytes.
    package var digest: [UInt8] {
        var finished = hash
        var digest = [UInt8](repeating: 0, count: Int(CSHA256_DIGEST_SIZE))
        csha256_finish(&finished, &digest)
        return digest
    }

    /// The digest of all bytes so far, as 64 lowercase hexadecimal digits.
    package var hexadecimalDigest: String { digest.hexadecimalText }

    /// Returns the SHA-256 of bytes, as 64 lowercase hexadecimal digits.
    package static func hexadecimalDigest(of bytes: some ContiguousBytes) -> String {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.hexadecimalDigest
    }

    /// Whether a text is a digest as this type writes it: 64 lowercase hexadecimal digits. Such a text is safe in a path.
    package static func isHexadecimalDigest(_ text: some StringProtocol) -> Bool {
        let digits = text.utf8
        return digits.count == 2 * Int(CSHA256_DIGEST_SIZE)
            && digits.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}

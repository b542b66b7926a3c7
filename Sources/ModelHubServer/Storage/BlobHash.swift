import Crypto
import DurableFiles
import Foundation

/// The SHA-256 that identifies a file in the hub: 64 lower-case hexadecimal digits.
package struct BlobHash: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The digits.
    package let text: String

    /// Creates a hash from a text; nil if the text is not a hash. The text must consist of exactly 64 digits, so it is
    /// safe in a path.
    package init?(_ text: some StringProtocol) {
        guard DurableFiles.SHA256.isHexadecimalDigest(text) else { return nil }
        self.text = String(text)
    }

    init(_ digest: Crypto.SHA256.Digest) { text = digest.hexadecimalText }

    /// Decodes the hash from a string.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let hash = BlobHash(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not 64 hexadecimal digits")
        }
        self = hash
    }

    /// Encodes the hash as a string.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The digits.
    package var description: String { text }
}

/// Secrets from the system's source of randomness.
enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

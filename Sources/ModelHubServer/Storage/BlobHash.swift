import Crypto
import Foundation

/// The SHA-256 that identifies a file in the hub: 64 lower-case hexadecimal digits.
public struct BlobHash: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The digits.
    public let text: String

    /// Creates a hash from a text; nil if the text is not a hash. The text must consist of exactly 64 digits, so it is
    /// safe in a path.
    public init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard digits.count == 64, digits.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
            return nil
        }
        self.text = String(text)
    }

    init(_ digest: SHA256.Digest) { text = Hexadecimal.text(digest) }

    /// Decodes the hash from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let hash = BlobHash(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not 64 hexadecimal digits")
        }
        self = hash
    }

    /// Encodes the hash as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The digits.
    public var description: String { text }
}

/// Converts bytes to lower-case hexadecimal digits.
enum Hexadecimal {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        for byte in bytes {
            for nibble in [byte >> 4, byte & 15] { digits.append(nibble < 10 ? 48 + nibble : 87 + nibble) }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5).
enum Base64URL {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in bytes {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                digits.append(digit(bits >> UInt32(count)))
            }
        }
        if count > 0 { digits.append(digit(bits << UInt32(6 - count))) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The digit of the lowest six bits.
    private static func digit(_ bits: UInt32) -> UInt8 {
        let value = UInt8(bits & 63)
        return switch value {
        case ..<26: 65 + value
        case ..<52: 71 + value
        case ..<62: value - 4
        case 62: 45
        default: 95
        }
    }

    static func data(_ text: some StringProtocol) -> Data? {
        guard text.utf8.allSatisfy({ Self.isDigit($0) }) else { return nil }
        let digits = text.utf8.map { $0 == 45 ? 43 : $0 == 95 ? 47 : $0 }
        let padding = [UInt8](repeating: 61, count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(digits + padding))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45 || byte == 95
    }
}

/// Secrets from the system's source of randomness.
enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

import Foundation

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5).
package enum Base64URL {
    /// Bytes as text.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
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

    /// The bytes of a text; nil if it contains another character or has a length that no bytes have.
    package static func data(_ text: some StringProtocol) -> Data? {
        guard text.utf8.allSatisfy({ isDigit($0) }) else { return nil }
        let digits = text.utf8.map { $0 == 45 ? 43 : $0 == 95 ? 47 : $0 }
        let padding = [UInt8](repeating: 61, count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(digits + padding))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45 || byte == 95
    }
}

/// The ids of Firebase installations: 22 characters of base64url that begin with the bits 0111.
package enum FirebaseInstallationID {
    /// Whether a text is such an id.
    package static func isValid(_ text: String) -> Bool {
        text.utf8.count == 22 && text.first.map { "cdef".contains($0) } == true && Base64URL.data(text) != nil
    }

    /// A new random id.
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<17).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[0] = 0b0111_0000 | bytes[0] & 0x0F
        return String(Base64URL.text(bytes).prefix(22))
    }
}

import Foundation

/// The names of files as text.
///
/// A name consists of bytes that may not be UTF-8, but arguments and paths are text. In such text, a character of a private use area,
/// U+10FF00 plus the byte, stands for a byte that is not part of UTF-8, so that the text determines the bytes. The bytes of a name that
/// already has such a character are written in the same way.
enum FileName {
    private static let base: UInt32 = 0x10_FF00
    private static let escapes: ClosedRange<UInt32> = 0x10_FF80...0x10_FFFF

    /// The text for the bytes of a name.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), isUTF8(text) { return text }
        var scalars = String.UnicodeScalarView()
        var rest = Array(bytes)[...]
        while let first = rest.first {
            if let (scalar, length) = firstScalar(of: rest), !escapes.contains(scalar.value) {
                scalars.append(scalar)
                rest = rest.dropFirst(length)
            } else {
                if let escape = Unicode.Scalar(base + UInt32(first)) { scalars.append(escape) }
                rest = rest.dropFirst()
            }
        }
        return String(scalars)
    }

    /// The text for a name of C, which ends with a zero.
    static func text(_ name: UnsafePointer<CChar>) -> String {
        text(UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }

    private static func firstScalar(of bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, length: Int)? {
        for length in 1...min(4, bytes.count) {
            let scalars = String(validating: bytes.prefix(length), as: UTF8.self)?.unicodeScalars
            if let scalar = scalars?.first { return (scalar, length) }
        }
        return nil
    }

    /// The bytes of a name.
    static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            escapes.contains(scalar.value) ? [UInt8(scalar.value - base)] : Array(String(scalar).utf8)
        }
    }

    /// Whether the bytes of a name are UTF-8.
    static func isUTF8(_ text: String) -> Bool {
        !text.unicodeScalars.contains { escapes.contains($0.value) }
    }

    /// The name for people and programs, with a byte that is not UTF-8 as `\xE9`.
    static func printed(_ text: String) -> String {
        guard !isUTF8(text) else { return text }
        return text.unicodeScalars.map { scalar in
            escapes.contains(scalar.value)
                ? "\\x" + String(scalar.value - base, radix: 16, uppercase: true) : String(scalar)
        }.joined()
    }

    /// Calls `body` with the name as a C string.
    static func withPath<Result, Failure: Error>(
        _ text: String,
        _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let path = bytes(text).map { CChar(bitPattern: $0) } + [0]
        return try body(path)
    }
}

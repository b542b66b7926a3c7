import Foundation

/// A text for searches, stored as bytes.
///
/// The bytes are those of Unicode's normalization form C, so that canonically equivalent texts are equal, as in
/// `String`. A match may begin or end anywhere between Unicode scalars: unlike `String.contains`, the search ignores
/// grapheme clusters.
struct ComparableText: Sendable, Hashable {
    /// UTF-8 with a terminating zero. The character NUL is stored as a byte that UTF-8 never uses.
    private let bytes: [UInt8]

    init(_ text: String) {
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let normalized = isASCII ? text : text.precomposedStringWithCanonicalMapping
        bytes = normalized.utf8.map { $0 == 0 ? 0xFF : $0 } + [0]
    }

    /// Whether the text contains another text; every text contains the empty text.
    ///
    /// `strstr` reads both arrays up to their terminating zeros. Its time grows with the length of this text, not with
    /// the lengths of both.
    func contains(_ other: ComparableText) -> Bool {
        if other.bytes.count > bytes.count { return false }
        return bytes.withUnsafeBytes { text in
            other.bytes.withUnsafeBytes { part in
                guard let start = text.assumingMemoryBound(to: CChar.self).baseAddress,
                    let partStart = part.assumingMemoryBound(to: CChar.self).baseAddress
                else { return false }
                return strstr(start, partStart) != nil
            }
        }
    }
}

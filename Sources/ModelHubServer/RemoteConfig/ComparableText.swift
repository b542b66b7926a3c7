import Foundation

/// A text for searches, stored as bytes.
///
/// The bytes are those of Unicode's normalization form C, so that canonically equivalent texts are equal, as they are to `String`.
/// A part may begin or end anywhere between Unicode scalars: unlike `String.contains`, the search knows no grapheme clusters.
struct ComparableText: Sendable, Hashable {
    /// UTF-8 and a zero that ends it. The character NUL is a byte that UTF-8 never has.
    private let bytes: [UInt8]

    init(_ text: String) {
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let normalized = isASCII ? text : text.precomposedStringWithCanonicalMapping
        bytes = normalized.utf8.map { $0 == 0 ? 0xFF : $0 } + [0]
    }

    /// Whether another text is a part of this one; the empty text is a part of every text.
    ///
    /// `strstr` reads both arrays up to the zero that each of them ends with. Its time grows with the length of the text, and not
    /// with that of both.
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

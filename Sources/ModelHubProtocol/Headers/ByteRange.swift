/// The part of a file that a `Range` header asks for (RFC 9110, section 14.1.2).
package enum ByteRange: Sendable, Hashable {
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// Reads a header. A single byte range is honored; several ranges, and other units, are ignored.
    package init(header: String?, byteCount: Int) {
        guard let header, header.hasPrefix("bytes="), !header.contains(",") else {
            self = .whole
            return
        }
        let bounds = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]) else {
            self = .whole
            return
        }
        switch (first, last) {
        case (let first?, let last?) where first <= last:
            self = first < byteCount ? .part(first..<min(last, byteCount - 1) + 1) : .unsatisfiable
        case (let first?, nil):
            self = first < byteCount ? .part(first..<byteCount) : .unsatisfiable
        case (nil, let count?):
            self = count > 0 && byteCount > 0 ? .part(byteCount - min(count, byteCount)..<byteCount) : .unsatisfiable
        default:
            self = .whole
        }
    }

    /// The header that asks for all bytes from an offset.
    package static func header(from offset: Int) -> String { "bytes=\(offset)-" }

    /// Nil if the text is not a number; a nested nil if it is empty.
    private static func number(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        return DecimalNumber.value(of: text).map { .some($0) }
    }
}

/// A number in a header: digits only.
enum DecimalNumber {
    /// The number; nil for any other text, and for numbers that no file's size reaches.
    static func value(of text: some StringProtocol) -> Int? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}

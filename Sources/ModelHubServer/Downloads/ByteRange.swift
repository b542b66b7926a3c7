/// The requested part of a file (RFC 9110, section 14).
enum ByteRange: Hashable {
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// A single byte range is honored; several ranges, and other units, are ignored.
    init(header: String?, byteCount: Int) {
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

    /// Nil if the text is not a number; a nested nil if it is empty.
    private static func number(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.count <= 18, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text).map { .some($0) }
    }
}

/// `Content-Range`, the place of a body in a file (RFC 9110, section 14.4): `bytes 0-99/200`, `bytes 0-99/*`, or
/// `bytes */200`, which has no body.
package struct ContentRange: Sendable, Hashable, CustomStringConvertible {
    /// The bytes of the body; nil in `bytes */200`.
    package let part: Range<Int>?
    /// The size of the file; nil if it is not known.
    package let byteCount: Int?

    /// Creates the place of a body.
    package init(_ part: Range<Int>?, of byteCount: Int?) {
        (self.part, self.byteCount) = (part, byteCount)
    }

    /// Reads a header; nil if it is malformed. Bytes after the end of the file are malformed.
    package init?(_ header: String) {
        guard header.lowercased().hasPrefix("bytes ") else { return nil }
        let sides = header.dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] == "*" {
            byteCount = nil
        } else {
            guard let number = DecimalNumber.value(of: sides[1]) else { return nil }
            byteCount = number
        }
        if sides[0] == "*" {
            part = nil
        } else {
            let bounds = sides[0].split(separator: "-", omittingEmptySubsequences: false)
            guard bounds.count == 2, let first = DecimalNumber.value(of: bounds[0]),
                let last = DecimalNumber.value(of: bounds[1]), first <= last, byteCount.map({ last < $0 }) ?? true
            else { return nil }
            part = first..<last + 1
        }
    }

    /// The header.
    package var description: String {
        let bytes = part.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
        return "bytes \(bytes)/\(byteCount.map { "\($0)" } ?? "*")"
    }
}

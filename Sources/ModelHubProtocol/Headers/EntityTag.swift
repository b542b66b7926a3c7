import DurableFiles
import Foundation

/// An ETag (RFC 9110, section 8.8.3), also in the form that Google's services and clients use, without quotes.
package struct EntityTag: Sendable, Hashable {
    /// The text between the quotes.
    package let text: String
    /// Whether files with different bytes may have the tag.
    package let isWeak: Bool

    /// Reads a header's value: quoted, weak, or bare.
    package init(_ header: some StringProtocol) {
        var text = Substring(header.trimmingCharacters(in: .whitespaces))
        isWeak = text.hasPrefix("W/")
        if isWeak { text = text.dropFirst(2) }
        if text.count > 1, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        self.text = String(text)
    }

    /// The tag of exactly these bytes, in quotes, as `If-Range` needs it.
    package static func quoted(_ text: String) -> String { "\"\(text)\"" }

    /// The SHA-256 that the tag consists of, in lowercase digits; nil if it is another text.
    package var sha256: String? {
        let digits = text.lowercased()
        return SHA256.isHexadecimalDigest(digits) ? digits : nil
    }

    /// Whether a list of tags, as `If-None-Match` has it, contains a tag. A bare star matches every tag.
    package static func list(_ header: String, contains tag: String) -> Bool {
        header.split(separator: ",").contains { part in
            let entry = EntityTag(part)
            return entry.text == tag || entry.text == "*"
        }
    }
}

import Foundation

/// A header field's value with parameters, such as `form-data; name="a"; filename=b.jpg` (RFC 2045, section 5.1; RFC 9110, section 5.6.6).
///
/// A parameter's value is a token or a quoted string. One with an asterisk after its name, `filename*=UTF-8''b%20c.jpg`, names its character
/// set (RFC 8187), and counts before the one without.
package struct HeaderParameters: Sendable, Hashable {
    /// The value before the parameters, in lowercase.
    package let value: String
    private var parameters: [String: String] = [:]

    /// Reads a value. What is not a parameter is skipped.
    package init(_ text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        value = Self.text(rest.prefix { $0 != UInt8(ascii: ";") }).lowercased()
        rest = rest.drop { $0 != UInt8(ascii: ";") }.dropFirst()
        while !rest.isEmpty {
            let name = Self.text(rest.prefix { !"=;".utf8.contains($0) }).lowercased()
            rest = rest.drop { !"=;".utf8.contains($0) }
            guard rest.first == UInt8(ascii: "=") else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst().drop { $0 == 32 || $0 == 9 }
            let value =
                rest.first == UInt8(ascii: "\"")
                ? Self.quotedText(&rest) : Self.text(rest.prefix { $0 != UInt8(ascii: ";") })
            rest = rest.drop { $0 != UInt8(ascii: ";") }.dropFirst()
            // The first one counts, so that a later one cannot replace it.
            if parameters[name] == nil { parameters[name] = value }
        }
    }

    /// The value of a parameter; nil if there is none.
    package subscript(_ name: String) -> String? {
        parameters["\(name)*"].flatMap(Self.extendedText) ?? parameters[name]
    }

    /// The text of a quoted string, after whose end `rest` begins.
    private static func quotedText(_ rest: inout ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            // A backslash before another character is a part of a path on Windows, which some clients do not double.
            if byte == UInt8(ascii: "\\"), let next = rest.first, "\"\\".utf8.contains(next) {
                text.append(next)
                rest = rest.dropFirst()
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text of a value with a character set, `UTF-8'language'text`; nil for another set or a malformed text.
    private static func extendedText(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = try? PercentEncoding.decoded(parts[2]) else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }
}

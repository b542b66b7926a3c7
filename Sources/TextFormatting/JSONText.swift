/// A line of JSON (RFC 8259) whose keys keep the order in which they are written.
///
/// Foundation's encoder sorts keys or writes them in any order. People also read results, and want the name first.
package struct JSONText {
    /// The text so far.
    package private(set) var text = ""

    /// An empty text.
    package init() {}

    /// Writes `{…}` around the output of `fields`.
    package mutating func object(_ fields: (inout JSONText) -> Void) {
        text += "{"
        fields(&self)
        text += "}"
    }

    /// Writes `"name":` and then the output of `value`.
    package mutating func field(_ name: String, _ value: (inout JSONText) -> Void) {
        if let last = text.last, last != "{" { text += "," }
        string(name)
        text += ":"
        value(&self)
    }

    /// Writes `[…]` around the output of `element` for each item.
    package mutating func array<Items: Collection>(_ items: Items, _ element: (inout JSONText, Items.Element) -> Void) {
        text += "["
        for (index, item) in items.enumerated() {
            if index > 0 { text += "," }
            element(&self, item)
        }
        text += "]"
    }

    /// Writes a string and escapes the characters that JSON requires, and those that ``TerminalText/printable(_:)`` would replace: a
    /// document on a terminal only shows its content.
    package mutating func string(_ value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where TerminalText.actsOnTerminal(scalar): text += Self.escape(scalar)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// Writes a whole document as a value.
    package mutating func document(_ document: JSONText) { text += document.text }

    /// Writes `true` or `false`.
    package mutating func boolean(_ value: Bool) { text += value ? "true" : "false" }

    /// Writes `null`.
    package mutating func null() { text += "null" }

    /// Writes a whole number.
    package mutating func number(_ value: Int) { text += "\(value)" }

    /// Writes the shortest digits that read back as the same number, or `null` for an infinite number or NaN.
    package mutating func number(_ value: Float) { text += value.isFinite ? "\(value)" : "null" }

    /// Writes a number rounded to a thousandth, or `null` for an infinite number or NaN.
    package mutating func number(_ value: Double) {
        guard value.isFinite else {
            text += "null"
            return
        }
        text += "\((value * 1000).rounded() / 1000)"
    }

    /// A document of another writer with the same values, in which these characters are also escaped.
    package static func escapingUnprintable(_ document: String) -> String {
        guard !document.utf8.allSatisfy({ $0 < 0x7F }) else { return document }
        var scalars = String.UnicodeScalarView()
        // A document has such characters in strings only. Line breaks and tabs lie between values.
        for scalar in document.unicodeScalars {
            if scalar.value >= 0x7F, TerminalText.actsOnTerminal(scalar) {
                scalars.append(contentsOf: escape(scalar).unicodeScalars)
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// For example `\u001b`; two escapes for a character outside the basic plane.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

/// Rows of comma-separated values, quoted by the rules of RFC 4180. Each row ends with a line feed.
///
/// Spreadsheets run a cell as a formula if it begins with one of a few characters. Such a field begins with an apostrophe, which makes
/// it text, unless it is a number. A field that begins with an apostrophe before such a character gets one more, so that
/// ``firstField(of:)`` returns every field unchanged. (OWASP, "CSV Injection".)
package enum CSVText {
    /// A row of fields.
    package static func row(_ fields: [String]) -> String {
        fields.map { quoted(runsAsFormula($0) ? "'" + $0 : $0) }.joined(separator: ",") + "\n"
    }

    /// The first field of a row, as ``row(_:)`` got it.
    package static func firstField(of row: String) -> String {
        let field = unquotedFirstField(of: row)
        guard field.unicodeScalars.first == "'" else { return field }
        let rest = String(field.unicodeScalars.dropFirst())
        return runsAsFormula(rest) ? rest : field
    }

    /// A number rounded to a thousandth.
    package static func thousandths(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }

    /// The characters that begin a formula, and those that spreadsheets ignore before it. East Asian settings also take the full-width
    /// forms.
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    private static func runsAsFormula(_ field: String) -> Bool {
        guard let first = field.unicodeScalars.first(where: { $0 != "'" }), formulaStarts.contains(first) else {
            return false
        }
        return !isNumber(field)
    }

    /// Whether a field is a decimal number with a sign, for example `-1.5` or `+2e-05`.
    private static func isNumber(_ field: String) -> Bool {
        let characters: Set<UInt8> = Set("0123456789+-.eE".utf8)
        return field.utf8.allSatisfy(characters.contains) && Double(field) != nil
    }

    private static func unquotedFirstField(of row: String) -> String {
        let characters = row.unicodeScalars
        guard characters.first == "\"" else { return String(characters.prefix { $0 != "," }) }
        var (field, rest) = (String.UnicodeScalarView(), characters.dropFirst())
        while let end = rest.firstIndex(of: "\"") {
            field.append(contentsOf: rest[..<end])
            rest = rest[rest.index(after: end)...]
            // Two marks encode a mark in the field.
            guard rest.first == "\"" else { break }
            field.append("\"")
            rest = rest.dropFirst()
        }
        return String(field)
    }

    private static func quoted(_ field: String) -> String {
        // By scalars, because Swift counts CR LF, and a mark with an accent, as one character.
        guard field.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return field }
        var doubled = String.UnicodeScalarView()
        for scalar in field.unicodeScalars {
            if scalar == "\"" { doubled.append(scalar) }
            doubled.append(scalar)
        }
        return "\"\(String(doubled))\""
    }
}

/// Rows of comma-separated values, quoted by the rules of RFC 4180. Each row ends with a line feed.
package enum CSVText {
    /// A row of fields.
    package static func row(_ fields: [String]) -> String {
        fields.map(quoted).joined(separator: ",") + "\n"
    }

    /// The first field of a row, without its quotation marks.
    package static func firstField(of row: String) -> String {
        let characters = row.unicodeScalars
        guard characters.first == "\"" else { return String(characters.prefix { $0 != "," }) }
        var (field, rest) = (String.UnicodeScalarView(), characters.dropFirst())
        while let end = rest.firstIndex(of: "\"") {
            field.append(contentsOf: rest[..<end])
            rest = rest[rest.index(after: end)...]
            // Two marks stand for a mark in the field.
            guard rest.first == "\"" else { break }
            field.append("\"")
            rest = rest.dropFirst()
        }
        return String(field)
    }

    /// A number rounded to a thousandth.
    package static func thousandths(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }

    private static func quoted(_ field: String) -> String {
        // The search goes by scalars, because Swift counts CR LF as one character.
        guard field.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// Rows of comma-separated values, quoted by the rules of RFC 4180. Each row ends with a line feed.
package enum CSVText {
    /// A row of fields.
    package static func row(_ fields: [String]) -> String {
        fields.map(quoted).joined(separator: ",") + "\n"
    }

    /// A number rounded to a thousandth.
    package static func thousandths(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }

    private static func quoted(_ field: String) -> String {
        // The search goes by scalars, because Swift counts CR LF as one character.
        guard field.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

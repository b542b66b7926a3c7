/// Rows of comma-separated values, quoted as RFC 4180 says, each ended by a line feed.
package enum CSVText {
    /// A row of fields.
    package static func row(_ fields: [String]) -> String {
        fields.map(quoted).joined(separator: ",") + "\n"
    }

    private static func quoted(_ field: String) -> String {
        // By scalars: Swift counts CR LF as one character.
        guard field.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

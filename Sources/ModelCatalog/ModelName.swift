/// The rule for names of installed models; a model's folder has its name.
enum ModelName {
    static let maximumLength = 64

    /// Whether text is a valid name: ASCII letters, digits, hyphens, underscores and dots, beginning with a letter or
    /// digit.
    static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= maximumLength else { return false }
        return isLetterOrDigit(first) && name.utf8.allSatisfy { isLetterOrDigit($0) || "-_.".utf8.contains($0) }
    }

    /// - Throws: `ModelCatalogError.invalidName`.
    static func check(_ name: String) throws(ModelCatalogError) {
        guard isValid(name) else { throw .invalidName(name) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

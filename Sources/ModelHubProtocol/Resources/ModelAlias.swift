/// A name for a version of a model, such as `production` or `staging`.
///
/// A client asks for the version that an alias names. When the alias moves to another version, the client gets that
/// version with its next check for updates.
public struct ModelAlias: RawRepresentable, Sendable, Hashable, Codable, CodingKeyRepresentable,
    ExpressibleByStringLiteral
{
    /// The name: a lower-case letter, then lower-case letters, digits and hyphens, at most 63 characters.
    public var rawValue: String

    /// The version that a client gets if it names no alias.
    public static let production: ModelAlias = "production"
    /// The newest staged version; while no version is staged, the version that is served.
    public static let staging: ModelAlias = "staging"

    /// Creates an alias. A hub and a client check the name when they use it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an alias with the name in a literal.
    public init(stringLiteral name: String) { self.init(rawValue: name) }

    /// Whether the name has the form of an alias.
    package var isValid: Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = rawValue.utf8.first, letters.contains(first), rawValue.utf8.count <= 63 else { return false }
        return rawValue.utf8.allSatisfy {
            letters.contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
        }
    }
}

extension ModelAlias: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}

/// The facts that people should know about a model before they use it.
public struct ModelCard: Sendable, Hashable, Codable {
    /// The use of the model, and the pictures for which it was made; empty if unknown.
    public var description: String
    /// The license of the model; empty if unknown.
    public var license: String
    /// The author of the model; empty if unknown.
    public var author: String

    /// Creates a card.
    public init(description: String = "", license: String = "", author: String = "") {
        self.description = description
        self.license = license
        self.author = author
    }

    /// Whether nothing is known.
    public var isEmpty: Bool { self == ModelCard() }
}

/// The change of a model's card. Absent texts change nothing; empty texts remove those of the card.
package struct ModelCardChange: Codable, Sendable, Hashable {
    package var description: String?
    package var license: String?
    package var author: String?

    /// Creates a change.
    package init(description: String? = nil, license: String? = nil, author: String? = nil) {
        self.description = description
        self.license = license
        self.author = author
    }

    /// Applies the change.
    package func apply(to card: inout ModelCard) {
        if let description { card.description = description }
        if let license { card.license = license }
        if let author { card.author = author }
    }

    /// Whether nothing changes.
    package var isEmpty: Bool { self == ModelCardChange() }
}

/// The notes of a version; empty to remove them.
package struct VersionNotes: Codable, Sendable {
    package var notes: String

    /// Creates notes.
    package init(notes: String) { self.notes = notes }
}

/// A value of a file that is one of several words, and says so if it is none of them.
protocol FieldChoice: RawRepresentable, CaseIterable, Decodable where RawValue == String {}

extension FieldChoice {
    /// Reads the word.
    ///
    /// - Throws: `DecodingError` with the words that are possible.
    init(choosingFrom decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let word = try container.decode(String.self)
        guard let value = Self(rawValue: word) else {
            let known = Self.allCases.map(\.rawValue)
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\"\(word.prefix(100))\" is none of \(known.joined(separator: ", "))"
                    + Spelling.suggestion(for: word, among: known)
            )
        }
        self = value
    }
}

extension ModelSidecar.Head: FieldChoice {
    /// Reads the name of a head.
    public init(from decoder: any Decoder) throws { try self.init(choosingFrom: decoder) }
}

extension ModelSidecar.Input.Fit: FieldChoice {
    /// Reads the name of a way to fit.
    public init(from decoder: any Decoder) throws { try self.init(choosingFrom: decoder) }
}

extension SSDAnchors.Activation: FieldChoice {
    /// Reads the name of an activation.
    public init(from decoder: any Decoder) throws { try self.init(choosingFrom: decoder) }
}

extension InputFormat.Channels: FieldChoice {
    /// Reads the name of an order of colors.
    public init(from decoder: any Decoder) throws { try self.init(choosingFrom: decoder) }
}

extension ImageFit.LetterboxAnchor: FieldChoice {
    /// Reads the name of a place.
    public init(from decoder: any Decoder) throws { try self.init(choosingFrom: decoder) }
}

/// A value of a file that is one of several words.
protocol FieldChoice: RawRepresentable, CaseIterable, Decodable where RawValue == String {}

extension FieldChoice {
    /// Reads the word.
    ///
    /// - Throws: `DecodingError` with the possible words.
    init(choosingFrom decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let word = try container.decode(String.self)
        guard let value = Self(rawValue: word) else {
            let known = Self.allCases.map(\.rawValue)
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: Spelling.refusal(of: word, known: known)
            )
        }
        self = value
    }
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
    /// Reads the name of an anchor.
    public init(from decoder: any Decoder) throws { try self.init(choosingFrom: decoder) }
}

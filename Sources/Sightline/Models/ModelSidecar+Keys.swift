import Foundation

extension ModelSidecar {
    /// Refuses unknown keys, because a mistyped threshold would otherwise be ignored silently.
    static func checkKeys(of content: Data) throws {
        let root = try KeyTree(lenientJSON: content)
        try check(root, CodingKeys.self)
        try check(root.children[CodingKeys.input.stringValue], Input.CodingKeys.self, in: .input)
        try check(root.children[CodingKeys.outputs.stringValue], Outputs.CodingKeys.self, in: .outputs)
        try check(root.children[CodingKeys.anchors.stringValue], SSDAnchors.CodingKeys.self, in: .anchors)
        try check(root.children[CodingKeys.largeObjects.stringValue], LargeObjects.CodingKeys.self, in: .largeObjects)
        try check(root.children[CodingKeys.proposals.stringValue], Proposals.CodingKeys.self, in: .proposals)
    }

    private static func check<Keys: CodingKey & CaseIterable>(
        _ tree: KeyTree?,
        _ keys: Keys.Type,
        in parent: CodingKeys? = nil
    ) throws {
        let known = Keys.allCases.map(\.stringValue)
        guard let unknown = tree?.children.keys.sorted().first(where: { !known.contains($0) }) else { return }
        let suggestion = Spelling.suggestion(for: unknown, among: known)
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: [parent].compactMap(\.self),
                debugDescription: "the key \"\(unknown.prefix(100))\" is not known"
                    + (suggestion.isEmpty ? "; the keys are \(known.joined(separator: ", "))" : suggestion)
            )
        )
    }

    /// The keys of a file, with values of any kind.
    private struct KeyTree: Decodable {
        var children: [String: KeyTree] = [:]

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            guard let fields = try? decoder.container(keyedBy: Key.self) else { return }
            for key in fields.allKeys { children[key.stringValue] = try fields.decode(KeyTree.self, forKey: key) }
        }
    }
}

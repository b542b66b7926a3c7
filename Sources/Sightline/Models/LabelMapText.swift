/// The label maps of TensorFlow's object detection API: `item { id: 1 name: "person" }` for each class, with numbers from 1 on.
///
/// Source of the keys: `string_int_label_map.proto` of that API.
enum LabelMapText {
    /// The numbers and names of the items; nil if the text is not a label map. An item without a number or a name counts as number −1.
    static func entries(in text: String) -> [(number: Int, name: String)]? {
        guard text.contains("item"), text.contains("{"), text.contains("id") else { return nil }
        var tokens = Tokens(text)
        var entries: [(number: Int, name: String)] = []
        while let token = tokens.next() {
            guard token == .word("item"), tokens.next() == .mark("{") else { return nil }
            guard let fields = tokens.fields() else { return nil }
            let name = fields["display_name"] ?? fields["name"]
            entries.append((fields["id"].flatMap { Int($0) } ?? -1, name ?? ""))
            if name == nil { entries[entries.count - 1].number = -1 }
        }
        return entries.isEmpty ? nil : entries
    }

    private enum Token: Equatable {
        case word(String)
        case text(String)
        case mark(Character)
    }

    /// The words, quoted texts and marks of a text.
    private struct Tokens {
        private var rest: Substring

        init(_ text: String) { rest = text[...] }

        mutating func next() -> Token? {
            skipSpace()
            guard let first = rest.popFirst() else { return nil }
            if "{}:,;<>[]".contains(first) { return .mark(first) }
            guard "\"'".contains(first) else {
                let word = rest.prefix { !$0.isWhitespace && !"{}:,;<>[]\"'#".contains($0) }
                rest = rest.dropFirst(word.count)
                return .word(String(first) + word)
            }
            var text = ""
            while let character = rest.popFirst(), character != first {
                text.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
            }
            return .text(text)
        }

        private mutating func skipSpace() {
            while true {
                rest = rest.drop(while: \.isWhitespace)
                guard rest.first == "#" else { return }
                rest = rest.drop { !$0.isNewline }
            }
        }

        /// The fields up to the end of an item, without those of inner messages; nil if the end is missing.
        mutating func fields() -> [String: String]? {
            var fields: [String: String] = [:]
            var depth = 1
            var key: String?
            while let token = next() {
                switch token {
                case .mark("{"): depth += 1
                case .mark("}"):
                    depth -= 1
                    if depth == 0 { return fields }
                case .word(let word), .text(let word):
                    if let name = key, depth == 1 { fields[name] = word }
                    key = nil
                    if case .word = token, next(is: ":") { key = word }
                case .mark: key = nil
                }
            }
            return nil
        }

        /// Takes a mark if it is the next token.
        private mutating func next(is mark: Character) -> Bool {
            skipSpace()
            guard rest.first == mark else { return false }
            rest.removeFirst()
            return true
        }
    }
}

/// A filter for lists of models: the filter language of Google's list methods (AIP-160) for the fields of models.
///
/// `displayName = X`, `displayName != X`, `displayName : pre*`, `tags : T`, `state.published = true`, joined with
/// `AND`, `OR`, `NOT` and parentheses. As in AIP-160, OR binds tighter than AND.
package indirect enum ModelFilter: Sendable, Hashable {
    /// The model has exactly this name.
    case name(String)
    /// The model's name has this prefix.
    case namePrefix(String)
    /// The model has this tag.
    case tag(String)
    /// The model is published, or is not.
    case published(Bool)
    /// The model does not match the filter.
    case not(ModelFilter)
    /// The model matches all filters.
    case all([ModelFilter])
    /// The model matches at least one filter.
    case any([ModelFilter])

    /// Parses a filter; nil if the text is empty.
    ///
    /// - Throws: `.invalidArgument` for any text that is not in the language above.
    package static func parse(_ text: String) throws(HubError) -> ModelFilter? {
        guard text.utf8.count <= 2048 else { throw .invalidArgument }
        var parser = FilterParser(tokens: try FilterToken.tokens(of: text))
        if parser.isAtEnd { return nil }
        let filter = try parser.expression(depth: 0)
        guard parser.isAtEnd else { throw .invalidArgument }
        return filter
    }
}

private enum FilterToken: Hashable {
    case word(String)
    case quoted(String)
    case equal, notEqual, has, open, close

    static func tokens(of text: String) throws(HubError) -> [FilterToken] {
        var tokens: [FilterToken] = []
        var rest = Substring(text)
        while let character = rest.first {
            switch character {
            case " ", "\t": rest = rest.dropFirst()
            case "(": (tokens, rest) = (tokens + [.open], rest.dropFirst())
            case ")": (tokens, rest) = (tokens + [.close], rest.dropFirst())
            case "=": (tokens, rest) = (tokens + [.equal], rest.dropFirst())
            case ":": (tokens, rest) = (tokens + [.has], rest.dropFirst())
            case "!":
                guard rest.hasPrefix("!=") else { throw .invalidArgument }
                (tokens, rest) = (tokens + [.notEqual], rest.dropFirst(2))
            case "\"", "'":
                let content = rest.dropFirst().prefix { $0 != character }
                guard content.endIndex < rest.endIndex else { throw .invalidArgument }
                tokens.append(.quoted(String(content)))
                rest = rest[rest.index(after: content.endIndex)...]
            default:
                let word = rest.prefix { !" \t()=:!\"'".contains($0) }
                tokens.append(.word(String(word)))
                rest = rest[word.endIndex...]
            }
        }
        return tokens
    }
}

private struct FilterParser {
    let tokens: [FilterToken]
    private var position = 0

    /// The maximum depth of nested parentheses.
    private static let maximumDepth = 16

    init(tokens: [FilterToken]) { self.tokens = tokens }

    var isAtEnd: Bool { position >= tokens.count }
    private var current: FilterToken? { isAtEnd ? nil : tokens[position] }

    mutating func expression(depth: Int) throws(HubError) -> ModelFilter {
        guard depth <= Self.maximumDepth else { throw .invalidArgument }
        var parts = [try alternatives(depth: depth)]
        while takes(.word("AND")) { parts.append(try alternatives(depth: depth)) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func alternatives(depth: Int) throws(HubError) -> ModelFilter {
        var parts = [try term(depth: depth)]
        while takes(.word("OR")) { parts.append(try term(depth: depth)) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func term(depth: Int) throws(HubError) -> ModelFilter {
        guard depth <= Self.maximumDepth else { throw .invalidArgument }
        if takes(.word("NOT")) { return .not(try term(depth: depth + 1)) }
        guard takes(.open) else { return try restriction() }
        let filter = try expression(depth: depth + 1)
        guard takes(.close) else { throw .invalidArgument }
        return filter
    }

    private mutating func restriction() throws(HubError) -> ModelFilter {
        guard case .word(let field) = next(), let comparison = next() else { throw .invalidArgument }
        let value: String
        let isQuoted: Bool
        switch next() {
        case .word(let text): (value, isQuoted) = (text, false)
        case .quoted(let text): (value, isQuoted) = (text, true)
        default: throw .invalidArgument
        }
        // A trailing star matches the rest of a name. Names and tags contain no stars.
        let isPrefix = comparison == .has && field != "tags"
        guard !(isPrefix ? value.dropLast() : value[...]).contains("*") else { throw .invalidArgument }
        switch (field, comparison) {
        case ("displayName", .equal), ("display_name", .equal): return .name(value)
        case ("displayName", .notEqual), ("display_name", .notEqual): return .not(.name(value))
        case ("displayName", .has), ("display_name", .has):
            guard value.hasSuffix("*") else { throw .invalidArgument }
            return .namePrefix(String(value.dropLast()))
        case ("tags", .has): return .tag(value)
        case ("state.published", .equal) where !isQuoted:
            guard let isPublished = Bool(value) else { throw .invalidArgument }
            return .published(isPublished)
        default: throw .invalidArgument
        }
    }

    private mutating func next() -> FilterToken? {
        defer { position += 1 }
        return current
    }

    private mutating func takes(_ token: FilterToken) -> Bool {
        guard current == token else { return false }
        position += 1
        return true
    }
}

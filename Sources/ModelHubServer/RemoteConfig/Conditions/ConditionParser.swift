import Foundation

extension ConditionExpression {
    /// Parses an expression.
    ///
    /// - Throws: `.invalidArgument` with the reason and the position of the mistake.
    init(_ text: String) throws(HubError) {
        do throws(ExpressionFailure) {
            self = try Self.parse(text)
        } catch {
            throw HubError(
                .invalidArgument,
                "The expression \"\(text.prefix(200))\" is wrong at character \(error.character): \(error.reason)."
            )
        }
    }

    static func parse(_ text: String) throws(ExpressionFailure) -> ConditionExpression {
        guard text.utf8.count <= ConditionParser.maximumLength else {
            throw ExpressionFailure(
                character: ConditionParser.maximumLength,
                reason: "it is longer than \(ConditionParser.maximumLength) bytes"
            )
        }
        var parser = ConditionParser(text)
        return try parser.whole()
    }
}

/// The reason why a text is not a valid expression, and its position.
struct ExpressionFailure: Error, Hashable {
    /// Counted from 1.
    var character: Int
    var reason: String
}

/// Reads expressions by recursive descent. Length, nesting and counts are bounded.
struct ConditionParser {
    private var scanner: ConditionScanner
    private var count = 0

    static let maximumLength = 16_384
    static let maximumDepth = 10
    /// The limit of Firebase.
    static let maximumTerms = 50

    init(_ text: String) { scanner = ConditionScanner(text) }

    mutating func whole() throws(ExpressionFailure) -> ConditionExpression {
        let terms = try conjunction(depth: 0)
        guard scanner.isAtEnd else {
            let start = scanner.place
            let reason =
                scanner.takes("||")
                ? "|| is not supported; create a condition for each alternative" : "expected && or the end"
            throw scanner.failure(reason, at: start)
        }
        return ConditionExpression(terms: terms)
    }

    private mutating func conjunction(depth: Int) throws(ExpressionFailure) -> [any ConditionTerm] {
        var terms = try term(depth: depth)
        while scanner.takes("&&") { terms += try term(depth: depth) }
        return terms
    }

    private mutating func term(depth: Int) throws(ExpressionFailure) -> [any ConditionTerm] {
        guard depth <= Self.maximumDepth else {
            throw scanner.failure("parentheses nest deeper than \(Self.maximumDepth)")
        }
        if scanner.takes("(") {
            let terms = try conjunction(depth: depth + 1)
            try scanner.expect(")")
            return terms
        }
        count += 1
        guard count <= Self.maximumTerms else {
            throw scanner.failure("it has more than \(Self.maximumTerms) terms")
        }
        return [try simpleTerm()]
    }

    private mutating func simpleTerm() throws(ExpressionFailure) -> any ConditionTerm {
        let place = scanner.place
        if scanner.takes("!") { throw scanner.failure("! is not supported; use the opposite operator", at: place) }
        let (name, start) = scanner.name()
        let beginning = ConditionStart(name: name, place: start, subject: try ConditionSubject(name, &scanner))
        for kind in ConditionExpression.kinds {
            var rest = scanner
            guard let term = try kind.read(beginning, &rest) else { continue }
            scanner = rest
            return term
        }
        if name.isEmpty { throw scanner.failure(scanner.isAtEnd ? "a term is missing" : "expected a term") }
        throw scanner.failure(
            "\"\(name.prefix(60))\" is unknown (see the hub's documentation for the supported properties)",
            at: start
        )
    }
}

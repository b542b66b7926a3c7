import Foundation

extension ConditionExpression {
    /// Parses an expression.
    ///
    /// - Throws: `.invalidArgument` with the reason and the position of the mistake.
    package init(_ text: String) throws(HubError) {
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
    var scanner: ConditionScanner
    private var count = 0

    static let maximumLength = 16_384
    static let maximumDepth = 10
    /// The limit of Firebase.
    static let maximumTerms = 50
    static let maximumValues = 1000

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

    private mutating func conjunction(depth: Int) throws(ExpressionFailure) -> [ConditionTerm] {
        var terms = try term(depth: depth)
        while scanner.takes("&&") { terms += try term(depth: depth) }
        return terms
    }

    private mutating func term(depth: Int) throws(ExpressionFailure) -> [ConditionTerm] {
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

    private mutating func simpleTerm() throws(ExpressionFailure) -> ConditionTerm {
        let place = scanner.place
        if scanner.takes("!") { throw scanner.failure("! is not supported; use the opposite operator", at: place) }
        let (name, start) = scanner.name()
        switch name {
        case "true": return .constant(true)
        case "false": return .constant(false)
        case "percent": return try percent()
        case "device.os": return try member(.os)
        case "app.id": return try member(.appID)
        case "device.country": return try member(.country)
        case "device.language": return try member(.language)
        case "firebaseInstallationId", "app.firebaseInstallationId": return try member(.installationID)
        case "app.version": return try method(.appVersion)
        case "app.build": return try method(.appBuild)
        case "app.userProperty": return try property(.userProperty(try key()))
        case "app.customSignal": return try property(.customSignal(try key()))
        case "version": return try signalVersion()
        case "dateTime": return try time(.now)
        case "device.dateTime": throw scanner.failure("write dateTime instead of device.dateTime", at: start)
        case "app.firstOpenTimestamp", "firstOpenTimestamp": return try time(.firstOpen)
        case "":
            throw scanner.failure(scanner.isAtEnd ? "a term is missing" : "expected a term")
        default:
            throw scanner.failure(
                "\"\(name.prefix(60))\" is unknown (see the hub's documentation for the supported properties)",
                at: start
            )
        }
    }

    // MARK: - Kinds of terms

    private mutating func percent() throws(ExpressionFailure) -> ConditionTerm {
        var seed = ""
        if scanner.takes("(") {
            let start = scanner.place
            seed = try scanner.string()
            let isValid =
                seed.utf8.count <= 32
                && seed.utf8.allSatisfy {
                    (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0)
                        || [45, 46, 95].contains($0)
                }
            guard isValid else {
                throw scanner.failure("a seed has up to 32 letters, digits, hyphens, points and underscores", at: start)
            }
            try scanner.expect(")")
        }
        if scanner.takesWord("between") {
            let lower = try scanner.microPercent()
            guard scanner.takesWord("and") else { throw scanner.failure("expected \"and\"") }
            let start = scanner.place
            let upper = try scanner.microPercent()
            guard lower <= upper else { throw scanner.failure("the upper bound is below the lower bound", at: start) }
            return .percent(seed: seed, .between(lower, upper))
        }
        if scanner.takes("<=") { return .percent(seed: seed, .lessOrEqual(try scanner.microPercent())) }
        if scanner.takes(">"), !scanner.takes("=") { return .percent(seed: seed, .greater(try scanner.microPercent())) }
        throw scanner.failure("expected <=, > or \"between\"")
    }

    private mutating func member(_ subject: ConditionSubject) throws(ExpressionFailure) -> ConditionTerm {
        if scanner.takes("==") { return .member(subject, [try scanner.string()]) }
        if scanner.takesWord("in") { return .member(subject, try strings()) }
        throw scanner.failure("expected == or \"in\"")
    }

    /// Parses the part after a point: `.contains([...])`, `.>=(['1.2'])`.
    private mutating func method(_ subject: ConditionSubject) throws(ExpressionFailure) -> ConditionTerm {
        try scanner.expect(".")
        let start = scanner.place
        if let comparison = scanner.comparison() {
            try scanner.expect("(")
            var versions: [SemanticVersion] = []
            let start = scanner.place
            for text in try strings() {
                guard let version = SemanticVersion(text) else {
                    throw scanner.failure("\"\(text.prefix(60))\" is not a version of one to five numbers", at: start)
                }
                versions.append(version)
            }
            try scanner.expect(")")
            return .version(subject, comparison, versions)
        }
        let name = scanner.name().name
        guard let comparison = TextComparison(rawValue: name) else {
            throw scanner.failure(
                "\"\(name.prefix(60))\" is not a comparison (use one of \(TextComparison.allCases.map(\.rawValue).joined(separator: ", ")))",
                at: start
            )
        }
        try scanner.expect("(")
        let place = scanner.place
        let values = try strings()
        try scanner.expect(")")
        if comparison == .matches {
            for value in values { try check(pattern: value, at: place) }
        }
        return .text(subject, comparison, values)
    }

    private func check(pattern: String, at place: Int) throws(ExpressionFailure) {
        do throws(PatternFailure) {
            _ = try TextPattern(pattern)
        } catch {
            throw scanner.failure("the pattern \"\(pattern.prefix(60))\" is not supported: \(error.reason)", at: place)
        }
    }

    private mutating func key() throws(ExpressionFailure) -> String {
        try scanner.expect("[")
        let key = try scanner.string()
        try scanner.expect("]")
        return key
    }

    /// Parses a property, which is a number or a text.
    private mutating func property(_ subject: ConditionSubject) throws(ExpressionFailure) -> ConditionTerm {
        guard let comparison = scanner.comparison() else { return try method(subject) }
        return .number(subject, comparison, try scanner.number())
    }

    private mutating func signalVersion() throws(ExpressionFailure) -> ConditionTerm {
        try scanner.expect("(")
        let (name, start) = scanner.name()
        guard name == "app.customSignal" else {
            throw scanner.failure("expected app.customSignal", at: start)
        }
        let key = try key()
        try scanner.expect(")")
        guard let comparison = scanner.comparison() else { throw scanner.failure("expected a comparison") }
        let place = scanner.place
        let text = try scanner.string()
        guard let version = SemanticVersion(text) else {
            throw scanner.failure("\"\(text.prefix(60))\" is not a version of one to five numbers", at: place)
        }
        return .version(.customSignal(key), comparison, [version])
    }

    private mutating func time(_ subject: TimeSubject) throws(ExpressionFailure) -> ConditionTerm {
        guard let comparison = scanner.comparison() else { throw scanner.failure("expected a comparison") }
        let (name, place) = scanner.name()
        guard name == "dateTime" || (name.isEmpty && subject == .firstOpen) else {
            throw scanner.failure("dateTime('…') should stand here", at: place)
        }
        try scanner.expect("(")
        let start = scanner.place
        let text = try scanner.string()
        let zone = scanner.takes(",") ? try scanner.string() : nil
        try scanner.expect(")")
        guard let time = ConditionTime(text, zone: zone) else {
            throw scanner.failure(
                "\"\(text.prefix(60))\" is not a time such as 2027-01-01T00:00:00\(zone.map { " in a zone \"\($0.prefix(60))\"" } ?? "")",
                at: start
            )
        }
        return .time(subject, comparison, time)
    }

    private mutating func strings() throws(ExpressionFailure) -> [String] {
        try scanner.expect("[")
        var values = [try scanner.string()]
        while scanner.takes(",") {
            guard values.count < Self.maximumValues else {
                throw scanner.failure("the list has more than \(Self.maximumValues) values")
            }
            values.append(try scanner.string())
        }
        try scanner.expect("]")
        return values
    }
}

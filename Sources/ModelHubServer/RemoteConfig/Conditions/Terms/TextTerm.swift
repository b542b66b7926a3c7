import Foundation

/// A property compares to one of the texts: `app.version.contains(['beta'])`.
struct TextTerm: ConditionTerm {
    enum Comparison: String, Sendable, Hashable, CaseIterable {
        case contains
        /// Contains none of the texts.
        case notContains
        case exactlyMatches
        /// A part of it matches a regular expression, see ``TextPattern``.
        case matches
    }

    var subject: ConditionSubject
    var comparison: Comparison
    var values: [String]

    static func read(_ start: ConditionStart, _ scanner: inout ConditionScanner) throws(ExpressionFailure) -> (
        any ConditionTerm
    )? {
        guard let subject = start.subject, subject.hasMethods else { return nil }
        try scanner.expect(".")
        let nameStart = scanner.place
        let name = scanner.name().name
        guard let comparison = Comparison(rawValue: name) else {
            throw scanner.failure(
                "\"\(name.prefix(60))\" is not a comparison (use one of \(Comparison.allCases.map(\.rawValue).joined(separator: ", ")))",
                at: nameStart
            )
        }
        try scanner.expect("(")
        let place = scanner.place
        let values = try scanner.strings()
        try scanner.expect(")")
        if comparison == .matches {
            for value in values { try check(pattern: value, scanner, at: place) }
        }
        return Self(subject: subject, comparison: comparison, values: values)
    }

    private static func check(
        pattern: String,
        _ scanner: ConditionScanner,
        at place: Int
    ) throws(ExpressionFailure) {
        do throws(PatternFailure) {
            _ = try TextPattern(pattern)
        } catch {
            throw scanner.failure("the pattern \"\(pattern.prefix(60))\" is not supported: \(error.reason)", at: place)
        }
    }

    var description: String { "\(subject).\(comparison.rawValue)(\(ConditionText.list(values)))" }

    /// The search for a pattern takes as long as its steps.
    var comparisonCount: Int {
        guard comparison == .matches else { return values.count }
        return values.reduce(0) { $0 + ((try? TextPattern($1))?.size ?? 1) }
    }

    func compiled(_ names: inout ConditionNames) -> CompiledTerm {
        let number = names.subjects.number(of: subject)
        let trimmed = values.map { $0.trimmingCharacters(in: .whitespaces) }
        switch comparison {
        case .exactlyMatches:
            let values = TextSet(trimmed)
            return CompiledTerm(.comparison, nanoseconds: 200) { state in
                state.trimmed(number).map { values.contains($0) } ?? false
            }
        case .contains, .notContains:
            let isWanted = comparison == .contains
            let values = trimmed.map { ComparableText($0) }
            let nanoseconds = 50 + values.count * 20
            return CompiledTerm(.comparison, nanoseconds: nanoseconds, searches: values.count) { state in
                guard let text = state.searched(number) else { return false }
                return values.contains { text.contains($0) } == isWanted
            }
        case .matches:
            let patterns = values.compactMap { try? TextPattern($0) }
            // Each step reads each character of the text, which takes about as long as ten comparisons.
            let steps = patterns.reduce(0) { $0 + $1.size }
            return CompiledTerm(.pattern, nanoseconds: 1000 + steps * 20, searches: steps * 10) { state in
                guard let text = state.folded(number) else { return false }
                return patterns.contains { $0.matches(text) }
            }
        }
    }

    var serverCondition: ServerTemplate.Condition? {
        let name =
            switch comparison {
            case .contains: "CONTAINS"
            case .notContains: "DOES_NOT_CONTAIN"
            case .exactlyMatches: "EXACTLY_MATCHES"
            case .matches: "CONTAINS_REGEX"
            }
        return .signal(subject, "STRING_\(name)", values)
    }
}

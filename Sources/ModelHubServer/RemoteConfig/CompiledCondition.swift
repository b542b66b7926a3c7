import Foundation

/// A condition prepared for repeated evaluation: texts are folded, versions parsed, subjects and seeds numbered, and
/// cheap terms come first.
struct CompiledCondition: Sendable {
    private let terms: [Term]

    private enum Term: Sendable {
        case constant(Bool)
        case language(TextSet)
        case member(Int, TextSet)
        /// Whether the text equals one of these texts.
        case exact(Int, TextSet)
        /// Whether the text contains one of these texts. The last value negates the result.
        case part(Int, [ComparableText], Bool)
        /// Whether a part of the text matches one of these patterns.
        case pattern(Int, [TextPattern])
        case version(Int, Comparison, [SemanticVersion])
        case number(Int, Comparison, Double)
        case time(TimeSubject, Comparison, Timestamp)
        case percent(Int, PercentRange)

        var cost: Int {
            switch self {
            case .constant: 0
            case .time: 1
            case .language, .member: 2
            case .exact, .part, .number: 3
            case .version: 4
            case .percent: 5
            case .pattern: 6
            }
        }
    }

    /// The maximum duration of the terms. Properties that are computed once per client count separately.
    var work: EvaluationWork {
        terms.reduce(into: EvaluationWork()) { work, term in
            switch term {
            case .constant, .time, .percent, .number: work.nanoseconds += 20
            case .language, .member, .exact: work.nanoseconds += 200
            case .part(_, let values, _):
                work.nanoseconds += 50 + values.count * 20
                work.searches += values.count
            case .pattern(_, let patterns):
                // Each step reads each character of the text, which takes about as long as ten comparisons.
                let steps = patterns.reduce(0) { $0 + $1.size }
                work.nanoseconds += 1000 + steps * 20
                work.searches += steps * 10
            case .version(_, _, let versions): work.nanoseconds += 50 + versions.count * 60
            }
        }
    }

    init(_ expression: ConditionExpression, names: inout ConditionNames) {
        terms = expression.terms.map { term in
            switch term {
            case .constant(let value): .constant(value)
            case .member(.language, let values): .language(TextSet(values.map(ConditionSubject.language(_:))))
            case .member(let subject, let values):
                .member(
                    names.subjects.number(of: subject),
                    TextSet(subject.isFolded ? values.map { $0.lowercased() } : values)
                )
            case .text(let subject, let comparison, let values):
                Self.term(
                    names.subjects.number(of: subject),
                    comparison,
                    comparison == .matches ? values : values.map { $0.trimmingCharacters(in: .whitespaces) }
                )
            case .version(let subject, let comparison, let versions):
                .version(names.subjects.number(of: subject), comparison, versions)
            case .number(let subject, let comparison, let value):
                .number(names.subjects.number(of: subject), comparison, value)
            case .time(let subject, let comparison, let time): .time(subject, comparison, time.moment)
            case .percent(let seed, let range): .percent(names.seeds.number(of: seed), range)
            }
        }.sorted { $0.cost < $1.cost }
    }

    private static func term(_ subject: Int, _ comparison: TextComparison, _ values: [String]) -> Term {
        switch comparison {
        case .exactlyMatches: .exact(subject, TextSet(values))
        case .contains: .part(subject, values.map { ComparableText($0) }, true)
        case .notContains: .part(subject, values.map { ComparableText($0) }, false)
        case .matches: .pattern(subject, values.compactMap { try? TextPattern($0) })
        }
    }

    func holds(_ state: inout EvaluationState) -> Bool {
        for term in terms where !Self.holds(term, &state) { return false }
        return true
    }

    /// A term about an unknown property of the client is false.
    private static func holds(_ term: Term, _ state: inout EvaluationState) -> Bool {
        switch term {
        case .constant(let value): return value
        case .language(let values):
            guard let language = state.language else { return false }
            // A language includes all its regions.
            return values.contains(language) || state.bareLanguage.map { values.contains($0) } == true
        case .member(let subject, let values):
            guard let value = state.folded(subject) else { return false }
            return values.contains(value)
        case .exact(let subject, let values):
            guard let value = state.trimmed(subject) else { return false }
            return values.contains(value)
        case .part(let subject, let values, let isWanted):
            guard let value = state.searched(subject) else { return false }
            return values.contains { value.contains($0) } == isWanted
        case .pattern(let subject, let patterns):
            guard let value = state.folded(subject) else { return false }
            return patterns.contains { $0.matches(value) }
        case .version(let subject, let comparison, let versions):
            guard let version = state.version(subject) else { return false }
            return comparison == .notEqual
                ? !versions.contains(version) : versions.contains { comparison.holds(version, $0) }
        case .number(let subject, let comparison, let value):
            guard let number = state.number(subject) else { return false }
            return comparison.holds(number, value)
        case .time(let subject, let comparison, let moment):
            guard let time = subject == .now ? state.now : state.client.firstOpen else { return false }
            return comparison.holds(time, moment)
        case .percent(let seed, let range):
            return state.place(seed).map { range.contains($0) } ?? false
        }
    }
}

extension ConditionSubject {
    /// A language code for comparisons. Some SDKs separate the region by an underscore: `en_US`.
    static func language(_ code: String) -> String { code.lowercased().replacing("_", with: "-") }

    /// Whether the comparison ignores case.
    fileprivate var isFolded: Bool {
        switch self {
        case .os, .country, .language: true
        default: false
        }
    }
}

/// A few texts in an array, or many by their hashes.
private struct TextSet: Sendable {
    private let few: [String]
    private let many: Set<String>

    init(_ values: [String]) {
        (few, many) = values.count <= 8 ? (values, []) : ([], Set(values))
    }

    func contains(_ value: String) -> Bool { many.isEmpty ? few.contains(value) : many.contains(value) }
}

/// The numbered subjects and seeds of a template's conditions, so that each is computed once per client.
struct ConditionNames: Sendable {
    var seeds = NumberedList<String>()
    var subjects = NumberedList<ConditionSubject>()
}

/// Distinct elements, each with its position.
struct NumberedList<Element: Hashable & Sendable>: Sendable {
    private(set) var elements: [Element] = []
    private var numbers: [Element: Int] = [:]

    mutating func number(of element: Element) -> Int {
        if let number = numbers[element] { return number }
        numbers[element] = elements.count
        elements.append(element)
        return elements.count - 1
    }
}

/// A condition for installations, in the language of Firebase's conditions: terms joined with `&&`.
///
/// Source of the language: Firebase's "Conditional Expression Reference". There is no `||` and no `!`; use several
/// conditions, or the opposite operator.
package struct ConditionExpression: Sendable, Hashable {
    /// The terms, all of which must be true.
    var terms: [ConditionTerm]

    /// The maximum number of comparisons; a term without a list counts as one.
    var comparisonCount: Int { terms.reduce(0) { $0 + $1.comparisonCount } }
}

/// A term of a condition.
enum ConditionTerm: Sendable, Hashable {
    case constant(Bool)
    /// The installation's bucket, see ``PercentBucket``.
    case percent(seed: String, PercentRange)
    /// The subject equals one of the values: `device.os == 'ios'`, `device.country in ['US']`.
    case member(ConditionSubject, [String])
    /// The subject matches one of the texts: `app.version.contains(['beta'])`.
    case text(ConditionSubject, TextComparison, [String])
    /// The subject matches one of the versions: `app.version.>=(['2.1'])`, or `version(app.customSignal['k']) >=
    /// '2.1'`.
    case version(ConditionSubject, Comparison, [SemanticVersion])
    /// `app.customSignal['age'] >= 18`.
    case number(ConditionSubject, Comparison, Double)
    /// `dateTime >= dateTime('2027-01-01T00:00:00', 'Europe/Berlin')`.
    case time(TimeSubject, Comparison, ConditionTime)

    fileprivate var comparisonCount: Int {
        switch self {
        case .text(_, .matches, let patterns):
            // The search for a pattern takes as long as its steps.
            patterns.reduce(0) { $0 + ((try? TextPattern($1))?.size ?? 1) }
        case .member(_, let values), .text(_, _, let values): values.count
        case .version(_, _, let versions): versions.count
        case .constant, .percent, .number, .time: 1
        }
    }
}

/// The property of an installation that a term tests.
enum ConditionSubject: Sendable, Hashable {
    case os, appID, country, language, installationID
    case appVersion, appBuild
    case userProperty(String)
    case customSignal(String)
}

/// The moment that a term tests.
enum TimeSubject: Sendable, Hashable {
    /// The time of the request.
    case now
    /// The time when the app was first opened, as reported by the app.
    case firstOpen
}

/// A comparison of texts.
enum TextComparison: String, Sendable, Hashable, CaseIterable {
    case contains
    /// Contains none of the texts.
    case notContains
    case exactlyMatches
    /// A part of it matches a regular expression, see ``TextPattern``.
    case matches
}

/// A comparison of quantities.
enum Comparison: String, Sendable, Hashable, CaseIterable {
    case less = "<"
    case lessOrEqual = "<="
    case equal = "=="
    case notEqual = "!="
    case greater = ">"
    case greaterOrEqual = ">="

    func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .equal: left == right
        case .notEqual: left != right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }
}

/// A version of up to five numbers; missing numbers are zero.
struct SemanticVersion: Sendable, Hashable, Comparable {
    /// The original text.
    let text: String
    private let numbers: [Int]

    static let maximumCount = 5

    /// Nil unless the text consists of numbers separated by points.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= Self.maximumCount else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard (1...18).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
                let number = Int(part)
            else { return nil }
            numbers.append(number)
        }
        while numbers.last == 0 { numbers.removeLast() }
        self.text = text
        self.numbers = numbers
    }

    static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    static func == (left: SemanticVersion, right: SemanticVersion) -> Bool { left.numbers == right.numbers }

    func hash(into hasher: inout Hasher) { hasher.combine(numbers) }
}

/// What has to be true of an installation, in the language of Firebase's conditions: terms joined with `&&`.
///
/// Source of the language: Firebase's "Conditional Expression Reference". There is no `||` and no `!`; several conditions take
/// the place of the one, another operator that of the other.
public struct ConditionExpression: Sendable, Hashable {
    /// All of them have to be true.
    var terms: [ConditionTerm]

    /// How many values the terms compare with at most; a term without a list counts as one.
    var comparisonCount: Int { terms.reduce(0) { $0 + $1.comparisonCount } }
}

/// One thing that has to be true.
enum ConditionTerm: Sendable, Hashable {
    case constant(Bool)
    /// The installation's place among all, see ``PercentBucket``.
    case percent(seed: String, PercentRange)
    /// Is one of these: `device.os == 'ios'`, `device.country in ['US']`.
    case member(ConditionSubject, [String])
    /// Fits one of these: `app.version.contains(['beta'])`.
    case text(ConditionSubject, TextComparison, [String])
    /// `app.version.>=(['2.1'])` with one of these, or `version(app.customSignal['k']) >= '2.1'`.
    case version(ConditionSubject, Comparison, [SemanticVersion])
    /// `app.customSignal['age'] >= 18`.
    case number(ConditionSubject, Comparison, Double)
    /// `dateTime >= dateTime('2027-01-01T00:00:00', 'Europe/Berlin')`.
    case time(TimeSubject, Comparison, ConditionTime)

    fileprivate var comparisonCount: Int {
        switch self {
        case .member(_, let values), .text(_, _, let values): values.count
        case .version(_, _, let versions): versions.count
        case .constant, .percent, .number, .time: 1
        }
    }
}

/// What is known of an installation, of which terms speak.
enum ConditionSubject: Sendable, Hashable {
    case os, appID, country, language, installationID
    case appVersion, appBuild
    case userProperty(String)
    case customSignal(String)
}

/// A moment of which terms speak.
enum TimeSubject: Sendable, Hashable {
    /// That of the request.
    case now
    /// When the app was first opened, as it says.
    case firstOpen
}

/// How texts are compared.
enum TextComparison: String, Sendable, Hashable, CaseIterable {
    case contains
    /// Has none of the texts in it.
    case notContains
    case exactlyMatches
}

/// How quantities are compared.
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

/// A version of up to five numbers; those that are missing are zero.
struct SemanticVersion: Sendable, Hashable, Comparable {
    /// As it is written.
    let text: String
    private let numbers: [Int]

    static let maximumCount = 5

    /// Nil for anything but numbers with points between them.
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

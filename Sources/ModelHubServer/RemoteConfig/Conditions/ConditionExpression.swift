/// A condition for installations, in the language of Firebase's conditions: terms joined with `&&`.
///
/// Source of the language: Firebase's "Conditional Expression Reference". There is no `||` and no `!`; use several
/// conditions, or the opposite operator.
struct ConditionExpression: Sendable {
    /// The terms, all of which must be true.
    var terms: [any ConditionTerm]

    /// The maximum number of comparisons; a term without a list counts as one.
    var comparisonCount: Int { terms.reduce(0) { $0 + $1.comparisonCount } }

    /// All kinds of terms. The first kind that reads a term gets it. The console writes terms in this order.
    static let kinds: [any ConditionTerm.Type] = [
        ConstantTerm.self, MemberTerm.self, NumberTerm.self, VersionTerm.self, TextTerm.self, LocaleTerm.self,
        PercentTerm.self, TimeTerm.self,
    ]
}

extension ConditionExpression: Hashable {
    private var values: [AnyHashable] { terms.map { AnyHashable($0) } }

    static func == (left: ConditionExpression, right: ConditionExpression) -> Bool { left.values == right.values }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }

    /// Whether both have the same terms, in any order.
    func hasSameTerms(as other: ConditionExpression) -> Bool { Set(values) == Set(other.values) }
}

extension ConditionExpression: CustomStringConvertible {
    /// The expression in the format of ``init(_:)``.
    var description: String { terms.map { "\($0)" }.joined(separator: " && ") }
}

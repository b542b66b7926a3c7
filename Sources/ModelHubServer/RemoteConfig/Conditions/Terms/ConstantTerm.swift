/// `true` or `false`.
struct ConstantTerm: ConditionTerm {
    var value: Bool

    static func read(_ start: ConditionStart, _ scanner: inout ConditionScanner) -> Self? {
        Bool(start.name).map { Self(value: $0) }
    }

    var description: String { "\(value)" }

    func compiled(_ names: inout ConditionNames) -> CompiledTerm {
        CompiledTerm(.constant, nanoseconds: 20) { [value] _ in value }
    }

    var serverCondition: ServerTemplate.Condition? { .constant(value) }
}

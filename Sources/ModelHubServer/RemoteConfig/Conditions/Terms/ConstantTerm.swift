/// `true` or `false`.
struct ConstantTerm: ConditionTerm {
    var value: Bool

    static func read(_ start: ConditionStart, _ scanner: inout ConditionScanner) -> (any ConditionTerm)? {
        switch start.name {
        case "true": Self(value: true)
        case "false": Self(value: false)
        default: nil
        }
    }

    var description: String { "\(value)" }

    func compiled(_ names: inout ConditionNames) -> CompiledTerm {
        CompiledTerm(.constant, nanoseconds: 20) { [value] _ in value }
    }

    var serverCondition: ServerTemplate.Condition? { .constant(value) }
}

/// A property or signal, read as a number, compares to a number: `app.customSignal['age'] >= 18`.
struct NumberTerm: ConditionTerm {
    var subject: ConditionSubject
    var comparison: Comparison
    var value: Double

    static func read(_ start: ConditionStart, _ scanner: inout ConditionScanner) throws(ExpressionFailure) -> (
        any ConditionTerm
    )? {
        guard let subject = start.subject, subject.hasKey, let comparison = scanner.comparison() else { return nil }
        return Self(subject: subject, comparison: comparison, value: try scanner.number())
    }

    var description: String { "\(subject) \(comparison.rawValue) \(ConditionText.number(value))" }

    func compiled(_ names: inout ConditionNames) -> CompiledTerm {
        let number = names.subjects.number(of: subject)
        return CompiledTerm(.comparison, nanoseconds: 20) { [comparison, value] state in
            state.number(number).map { comparison.holds($0, value) } ?? false
        }
    }

    var serverCondition: ServerTemplate.Condition? {
        .signal(subject, "NUMERIC_\(comparison.serverName)", [ConditionText.number(value)])
    }
}

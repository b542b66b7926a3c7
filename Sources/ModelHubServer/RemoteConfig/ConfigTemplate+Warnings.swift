extension ConfigTemplate {
    /// The parts that the hub accepts, but that are probably mistakes or do not work at Firebase.
    package var warnings: [String] {
        var warnings: [String] = []
        for condition in conditions {
            for term in (try? ConditionExpression(condition.expression))?.terms ?? [] {
                warnings += term.warnings.map { "The condition \"\(condition.name)\": \($0)" }
            }
        }
        for (key, parameter) in allParameters.sorted(by: { $0.key < $1.key }) {
            for (_, value) in parameter.conditionalValues.sorted(by: { $0.key < $1.key }) {
                guard case .rollout(let id, _, let percent) = value, percent > 50, percent < 100 else { continue }
                warnings.append(
                    "\(key): The rollout \(id) has \(percent.formatted()) %; Firebase has rollouts of up to 50 % and of 100 %."
                )
            }
        }
        return warnings
    }
}

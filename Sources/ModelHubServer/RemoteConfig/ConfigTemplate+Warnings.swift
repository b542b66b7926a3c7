extension ConfigTemplate {
    /// Warnings about contents that the hub accepts, but that are probably mistakes, or do not work at Firebase.
    package var warnings: [String] {
        var warnings: [String] = []
        for condition in conditions {
            for term in (try? ConditionExpression(condition.expression))?.terms ?? [] {
                guard case .member(let subject, let values) = term else { continue }
                warnings += values.compactMap { value in
                    subject.problem(of: value).map { "The condition \"\(condition.name)\": \($0)" }
                }
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

extension ConditionSubject {
    /// The reason why no installation has this value, as a sentence; nil if it may have it.
    func problem(of value: String) -> String? {
        let letters = value.utf8.prefix { (97...122).contains($0 | 0x20) }.count
        switch self {
        case .country where letters != 2 || value.utf8.count != 2:
            return "\"\(value.prefix(60))\" is not the code of a country; use two letters, such as DE."
        case .language
        where !(2...3).contains(letters)
            || !(value.utf8.dropFirst(letters).first.map { $0 == 0x2D || $0 == 0x5F } ?? true):
            return
                "\"\(value.prefix(60))\" is not the code of a language; use two or three letters, such as de or de-AT."
        default: return nil
        }
    }
}

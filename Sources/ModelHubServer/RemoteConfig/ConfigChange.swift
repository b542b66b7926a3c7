import Foundation

/// A difference between two templates.
package struct ConfigChange: Sendable, Hashable {
    /// The changed part, for example `parameter model, condition "new ones"`.
    package var place: String
    /// The old text; nil if the part is new.
    package var before: String?
    /// The new text; nil if the part was removed.
    package var after: String?
}

extension ConfigTemplate {
    /// The changes from this template to another, conditions first, then parameters by key.
    package func changes(to other: ConfigTemplate) -> [ConfigChange] {
        let (before, after) = (facts, other.facts)
        var changes: [ConfigChange] = []
        let known = Dictionary(before.map { ($0.place, $0.text) }, uniquingKeysWith: { first, _ in first })
        let wanted = Dictionary(after.map { ($0.place, $0.text) }, uniquingKeysWith: { first, _ in first })
        for fact in before where wanted[fact.place] == nil {
            changes.append(ConfigChange(place: fact.place, before: fact.text, after: nil))
        }
        for fact in after where known[fact.place] != fact.text {
            changes.append(ConfigChange(place: fact.place, before: known[fact.place], after: fact.text))
        }
        let common = Set(conditions.map(\.name)).intersection(other.conditions.map(\.name))
        let orders = [self, other].map { $0.conditions.map(\.name).filter { common.contains($0) } }
        if orders[0] != orders[1] {
            changes.append(
                ConfigChange(
                    place: "order of conditions",
                    before: orders[0].joined(separator: ", "),
                    after: orders[1].joined(separator: ", ")
                )
            )
        }
        return changes
    }

    /// All parts of the template with their texts.
    private var facts: [(place: String, text: String)] {
        var facts: [(String, String)] = []
        for condition in conditions {
            facts.append(("condition \"\(condition.name)\"", condition.expression))
            if let color = condition.tagColor { facts.append(("condition \"\(condition.name)\", color", color)) }
        }
        let groups = parameterGroups.flatMap { name, group in group.parameters.keys.map { ($0, name) } }
        let groupOfKey = Dictionary(groups, uniquingKeysWith: { first, _ in first })
        for (key, parameter) in allParameters.sorted(by: { $0.key < $1.key }) {
            let place = "parameter \(key)"
            facts.append((place, parameter.defaultValue?.text ?? "no default"))
            for (name, value) in parameter.conditionalValues.sorted(by: { $0.key < $1.key }) {
                facts.append(("\(place), condition \"\(name)\"", value.text))
            }
            if let description = parameter.description { facts.append(("\(place), description", description)) }
            if let type = parameter.valueType { facts.append(("\(place), type", type)) }
            if let group = groupOfKey[key] { facts.append(("\(place), group", group)) }
        }
        for (name, group) in parameterGroups.sorted(by: { $0.key < $1.key }) {
            facts.append(("group \"\(name)\"", group.description ?? ""))
        }
        return facts.map { (place: $0.0, text: $0.1) }
    }
}

extension ConfigTemplate.Value {
    /// The text for people.
    package var text: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .inAppDefault: "the app's default"
        case .rollout(let id, let value, let percent): "\"\(value)\" for \(percent.formatted()) % (rollout \(id))"
        case .experiment(let value):
            "experiment \(value.experimentID)\(value.exposurePercent.map { " at \($0.formatted()) %" } ?? ""): "
                + value.variants.map { "\($0.variantID) \($0.value.map { "\"\($0)\"" } ?? "as before")" }
                .joined(separator: ", ")
        case .personalization(let id): "personalization \(id)"
        }
    }
}

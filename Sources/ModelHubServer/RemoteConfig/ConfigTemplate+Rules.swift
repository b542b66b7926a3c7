import Foundation

/// The limits of Firebase's "Remote Config parameters and conditions", which the hub shares.
extension ConfigTemplate {
    enum Limits {
        static let conditions = 2000
        static let parameters = 3000
        static let groups = 1000
        static let keyLength = 256
        static let conditionNameLength = 100
        static let descriptionLength = 256
        /// Of all values together, in bytes.
        static let valueLength = 1_000_000
        /// Of the received JSON.
        static let textLength = 4 << 20
        /// Of the stored JSON, without whitespace.
        static let storedLength = 2 << 20
        /// The maximum number of values that all conditions together may compare.
        static let comparisons = 20_000
    }

    /// Checks all rules that depend only on the template. The node is the JSON of the template; it is searched for a
    /// position only if a rule is broken.
    func check(_ node: JSONNode) throws(TemplateFailure) {
        let names = try checkConditions(node["conditions"] ?? node)
        var keys: Set<String> = []
        var total = 0
        try check(parameters, at: node["parameters"] ?? node, "parameters", names, &keys, &total)
        guard parameterGroups.count <= Limits.groups else {
            throw node.failure("parameterGroups", "there are more than \(Limits.groups) groups")
        }
        // In the order of their names, so that the same mistake is always found first.
        for (name, group) in parameterGroups.sorted(by: { $0.key < $1.key }) {
            let path = "parameterGroups.\(name.prefix(60))"
            func place() -> JSONNode { node["parameterGroups"]?[name] ?? node }
            guard (1...Limits.keyLength).contains(name.count) else {
                throw place().failure(path, "the name of a group has 1 to \(Limits.keyLength) characters")
            }
            try Self.check(description: group.description, at: place(), path)
            try check(
                group.parameters,
                at: place()["parameters"] ?? place(),
                path + ".parameters",
                names,
                &keys,
                &total
            )
        }
        guard keys.count <= Limits.parameters else {
            throw node.failure("parameters", "there are \(keys.count), more than \(Limits.parameters)")
        }
    }

    private func checkConditions(_ node: JSONNode) throws(TemplateFailure) -> Set<String> {
        guard conditions.count <= Limits.conditions else {
            throw node.failure("conditions", "there are \(conditions.count), more than \(Limits.conditions)")
        }
        let places: [JSONNode] = if case .array(let elements) = node.content { elements } else { [] }
        var names: Set<String> = []
        var comparisons = 0
        for (index, condition) in conditions.enumerated() {
            let place = index < places.count ? places[index] : node
            let path = "conditions[\(index)]"
            guard Self.isConditionName(condition.name) else {
                throw (place["name"] ?? place).failure(
                    path + ".name",
                    "\"\(condition.name.prefix(60))\" cannot be a condition's name; use up to \(Limits.conditionNameLength) letters, "
                        + "digits, spaces and - _ ' ! % ."
                )
            }
            guard names.insert(condition.name).inserted else {
                throw (place["name"] ?? place).failure(
                    path + ".name",
                    "the condition \"\(condition.name)\" occurs twice"
                )
            }
            if let color = condition.tagColor,
                !(1...40).contains(color.utf8.count)
                    || !color.utf8.allSatisfy({ (65...90).contains($0) || $0 == 95 })
            {
                throw (place["tagColor"] ?? place).failure(
                    path + ".tagColor",
                    "it is not the name of a color such as BLUE"
                )
            }
            do throws(ExpressionFailure) {
                comparisons += try ConditionExpression.parse(condition.expression).comparisonCount
            } catch {
                throw (place["expression"] ?? place).failure(
                    path + ".expression",
                    "the expression of \"\(condition.name)\" is wrong at character \(error.character): \(error.reason)"
                )
            }
            guard comparisons <= Limits.comparisons else {
                throw (place["expression"] ?? place).failure(
                    path + ".expression",
                    "up to \"\(condition.name)\", the conditions compare with more than \(Limits.comparisons) values"
                )
            }
        }
        return names
    }

    private func check(
        _ parameters: [String: Parameter],
        at node: @autoclosure () -> JSONNode,
        _ path: String,
        _ conditions: Set<String>,
        _ keys: inout Set<String>,
        _ total: inout Int
    ) throws(TemplateFailure) {
        for (key, parameter) in parameters.sorted(by: { $0.key < $1.key }) {
            func place() -> JSONNode { node()[key] ?? node() }
            let path = "\(path).\(key.prefix(60))"
            guard Self.isKey(key) else {
                throw place().failure(
                    path,
                    "\"\(key.prefix(60))\" cannot be a parameter's key; use up to \(Limits.keyLength) letters, digits and underscores, "
                        + "and do not begin with a digit"
                )
            }
            guard keys.insert(key).inserted else { throw place().failure(path, "the key \"\(key)\" occurs twice") }
            try Self.check(description: parameter.description, at: place(), path)
            if let type = parameter.valueType, !Self.valueTypes.contains(type) {
                throw (place()["valueType"] ?? place()).failure(
                    path + ".valueType",
                    "\"\(type.prefix(40))\" is not a type of values (use one of \(Self.valueTypes.joined(separator: ", ")))"
                )
            }
            if let value = parameter.defaultValue {
                try check(
                    value,
                    parameter.valueType,
                    at: place()["defaultValue"] ?? place(),
                    path + ".defaultValue",
                    &total
                )
            }
            for (name, value) in parameter.conditionalValues.sorted(by: { $0.key < $1.key }) {
                func valuePlace() -> JSONNode { place()["conditionalValues"]?[name] ?? place() }
                func valuePath() -> String { "\(path).conditionalValues[\"\(name.prefix(100))\"]" }
                guard conditions.contains(name) else {
                    throw valuePlace().failure(valuePath(), "there is no condition \"\(name.prefix(100))\"")
                }
                try check(value, parameter.valueType, at: valuePlace(), valuePath(), &total)
            }
        }
    }

    private static func check(
        description: String?,
        at place: @autoclosure () -> JSONNode,
        _ path: String
    ) throws(TemplateFailure) {
        guard (description ?? "").count <= Limits.descriptionLength else {
            throw (place()["description"] ?? place()).failure(
                path + ".description",
                "it has more than \(Limits.descriptionLength) characters"
            )
        }
    }

    static let valueTypes = ["STRING", "BOOLEAN", "NUMBER", "JSON", "PARAMETER_VALUE_TYPE_UNSPECIFIED"]

    private func check(
        _ value: Value,
        _ type: String?,
        at place: @autoclosure () -> JSONNode,
        _ path: @autoclosure () -> String,
        _ total: inout Int
    ) throws(TemplateFailure) {
        for text in value.texts {
            total += text.utf8.count
            guard total <= Limits.valueLength else {
                throw place().failure(path(), "the values have more than \(Limits.valueLength) bytes in total")
            }
            if let problem = Self.problem(of: text, type) { throw place().failure(path(), problem) }
        }
        switch value {
        case .rollout(let id, _, _), .personalization(let id):
            guard Experiment.isID(id) else { throw place().failure(path(), Experiment.idRule(id)) }
        case .experiment(let value):
            guard Experiment.isID(value.experimentID) else {
                throw place().failure(path(), Experiment.idRule(value.experimentID))
            }
        case .text, .inAppDefault: break
        }
    }

    /// The reason why a text is not a value of the type; nil if it is.
    static func problem(of text: String, _ type: String?) -> String? {
        switch type {
        case "BOOLEAN" where !["true", "false"].contains(text.lowercased()):
            return "\"\(text.prefix(40))\" is neither true nor false"
        case "NUMBER" where Double(text).map(\.isFinite) != true: return "\"\(text.prefix(40))\" is not a number"
        case "JSON":
            let bytes = Array(text.utf8)
            do throws(JSONFailure) {
                _ = try JSONNode.parse(bytes)
                return nil
            } catch {
                return "the value is not JSON at \(TextPlace(bytes, offset: error.offset)): \(error.reason)"
            }
        default: return nil
        }
    }

    /// Whether a text is a letter or underscore followed by letters, digits and underscores.
    static func isKey(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= Limits.keyLength else { return false }
        return !(48...57).contains(first)
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 95
            }
    }

    static func isConditionName(_ text: String) -> Bool {
        (1...Limits.conditionNameLength).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0)
                    || "-_ '!%.".utf8.contains($0)
            }
    }
}

extension ConfigTemplate.Value {
    /// The possible texts of the value.
    var texts: [String] {
        switch self {
        case .text(let text), .rollout(_, let text, _): [text]
        case .experiment(let value): value.variants.compactMap(\.value)
        case .inAppDefault, .personalization: []
        }
    }
}

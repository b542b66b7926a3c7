import Foundation

/// The limits of Firebase's "Remote Config parameters and conditions", which the hub shares.
extension ConfigTemplate {
    enum Limits {
        static let conditions = 2000
        static let parameters = 3000
        static let groups = 1000
        static let keyLength = 256
        static let conditionNameLength = 256
        static let descriptionLength = 256
        /// Of the description of a version.
        static let purposeLength = 1024
        /// Of all values together, in bytes.
        static let valueLength = 1_050_000
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
            guard allParameters[name] == nil else {
                throw place().failure(path, "a parameter has the same name; rename one of them")
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
                        + "digits and - _ ' ! % ., and spaces between them"
                )
            }
            guard names.insert(condition.name).inserted else {
                throw (place["name"] ?? place).failure(
                    path + ".name",
                    "the condition \"\(condition.name)\" occurs twice"
                )
            }
            if let color = condition.tagColor, !Self.tagColors.contains(color) {
                throw (place["tagColor"] ?? place).failure(
                    path + ".tagColor",
                    "\"\(color.prefix(40))\" is not a color of Firebase (use one of \(Self.tagColors.joined(separator: ", ")))"
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
                throw place().failure(path, Self.keyRule(key))
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
                guard value.isStatic else {
                    throw place().failure(
                        path + ".defaultValue",
                        "a default is a text or the app's default; give the rollout, experiment or personalization to a condition, "
                            + "such as one with the expression true"
                    )
                }
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
        guard (description ?? "").unicodeScalars.count <= Limits.descriptionLength else {
            throw (place()["description"] ?? place()).failure(
                path + ".description",
                "it has more than \(Limits.descriptionLength) characters"
            )
        }
    }

    /// Firebase's colors of conditions.
    static let tagColors = [
        "BLUE", "BROWN", "CYAN", "DEEP_ORANGE", "GREEN", "INDIGO", "LIME", "ORANGE", "PINK", "PURPLE", "TEAL",
    ]

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
        case "NUMBER" where !isNumber(text):
            return "\"\(text.prefix(40))\" is not a number; write digits, with a point and a minus sign if necessary"
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

    /// Whether a text is a number in Firebase's sense: `^-?(\d*\.)?\d+$`. The SDKs read other forms, such as `1e5` and
    /// `0x10`, differently.
    private static func isNumber(_ text: String) -> Bool {
        let parts = text.utf8.drop { $0 == UInt8(ascii: "-") }
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let signs = text.utf8.prefix { $0 == UInt8(ascii: "-") }.count
        return signs <= 1 && parts.count <= 2 && parts.last?.isEmpty == false
            && parts.allSatisfy { $0.allSatisfy { (48...57).contains($0) } }
    }

    /// Keys that objects of JavaScript have already, so that clients on the web would take them for something else.
    private static let javaScriptKeys: Set<String> = [
        "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor",
        "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "prototype", "toLocaleString", "toString",
        "valueOf",
    ]

    static func keyRule(_ key: String) -> String {
        if javaScriptKeys.contains(key) {
            return
                "\"\(key)\" cannot be a parameter's key, because every object of JavaScript has it; choose another name"
        }
        return
            "\"\(key.prefix(60))\" cannot be a parameter's key; use up to \(Limits.keyLength) letters, digits and underscores, "
            + "and do not begin with a digit"
    }

    /// Whether a text can be the key of a parameter.
    static func isKey(_ text: String) -> Bool { isName(text) && !javaScriptKeys.contains(text) }

    /// Whether a text is a letter or underscore followed by letters, digits and underscores.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= Limits.keyLength else { return false }
        return !(48...57).contains(first)
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 95
            }
    }

    static func isConditionName(_ text: String) -> Bool {
        (1...Limits.conditionNameLength).contains(text.utf8.count) && text.first != " " && text.last != " "
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0)
                    || "-_ '!%.".utf8.contains($0)
            }
    }
}

extension ConfigTemplate.Value {
    /// Whether the value is the same for all installations.
    var isStatic: Bool {
        switch self {
        case .text, .inAppDefault: true
        case .rollout, .experiment, .personalization: false
        }
    }

    /// The possible texts of the value.
    var texts: [String] {
        switch self {
        case .text(let text), .rollout(_, let text, _): [text]
        case .experiment(let value): value.variants.compactMap(\.value)
        case .inAppDefault, .personalization: []
        }
    }
}

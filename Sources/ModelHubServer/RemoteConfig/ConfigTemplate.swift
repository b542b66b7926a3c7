/// A template of Remote Config: parameters, and conditions under which they have other values.
///
/// Its JSON is that of Firebase's `RemoteConfig` resource. ``init(json:)`` reads it and `Encodable` writes it, except
/// for the version.
package struct ConfigTemplate: Sendable, Hashable {
    /// The conditions. If several are true, the first condition with a value for a parameter applies.
    package var conditions: [Condition] = []
    /// The parameters by key.
    package var parameters: [String: Parameter] = [:]
    /// Groups of parameters, by name.
    package var parameterGroups: [String: Group] = [:]

    /// Creates an empty template.
    package init() {}

    /// A condition that selects installations.
    package struct Condition: Sendable, Hashable, Encodable {
        /// The name, by which parameters refer to the condition.
        package var name: String
        /// The expression in Firebase's language.
        package var expression: String
        /// The color of the condition in a console, such as `BLUE`.
        package var tagColor: String?
    }

    /// A parameter with its values.
    package struct Parameter: Sendable, Hashable {
        /// The value if no condition is true.
        package var defaultValue: Value?
        /// The values by the names of conditions.
        package var conditionalValues: [String: Value] = [:]
        /// The purpose of the parameter.
        package var description: String?
        /// The type of the values: `STRING`, `BOOLEAN`, `NUMBER` or `JSON`.
        package var valueType: String?

        /// Creates a parameter with a default value.
        package init(defaultValue: Value? = nil) { self.defaultValue = defaultValue }
    }

    /// A group of parameters.
    package struct Group: Sendable, Hashable, Encodable {
        /// The purpose of the group.
        package var description: String?
        /// The parameters by key.
        package var parameters: [String: Parameter] = [:]
    }

    /// The value of a parameter.
    package enum Value: Sendable, Hashable {
        /// A text.
        case text(String)
        /// The app's own default; the parameter is not sent.
        case inAppDefault
        /// A text for a growing part of the installations.
        case rollout(id: String, value: String, percent: Double)
        /// One of several texts, chosen at random, for a part of the installations.
        case experiment(ExperimentValue)
        /// A value that Google chooses for each user. The hub stores it and ignores it.
        case personalization(id: String)
    }

    /// The values of an experiment's variants.
    package struct ExperimentValue: Sendable, Hashable, Encodable {
        /// The experiment's id.
        package var experimentID: String
        /// The variants in their order.
        package var variants: [VariantValue]
        /// The percentage of the selected installations that take part; nil if a client left it out, which means the
        /// present percentage of the running experiment.
        package var exposurePercent: Double?

        private enum CodingKeys: String, CodingKey {
            case experimentID = "experimentId"
            case variants = "variantValue"
            case exposurePercent
        }
    }

    /// The value of a variant.
    package struct VariantValue: Sendable, Hashable {
        /// The variant's id.
        package var variantID: String
        /// The text; nil for the value without the experiment.
        package var value: String?
    }

    /// All parameters, inside and outside groups. Every key occurs once.
    package var allParameters: [String: Parameter] {
        parameterGroups.values.reduce(into: parameters) { all, group in
            all.merge(group.parameters) { first, _ in first }
        }
    }

    /// Changes a parameter inside or outside a group; false if it does not exist.
    mutating func change(parameter key: String, _ body: (inout Parameter) -> Void) -> Bool {
        if var parameter = parameters[key] {
            body(&parameter)
            parameters[key] = parameter
            return true
        }
        for (name, group) in parameterGroups {
            guard var parameter = group.parameters[key] else { continue }
            body(&parameter)
            parameterGroups[name]?.parameters[key] = parameter
            return true
        }
        return false
    }
}

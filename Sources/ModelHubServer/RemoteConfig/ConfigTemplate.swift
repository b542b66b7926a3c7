/// What Remote Config gives to whom: parameters, and the conditions under which they have other values.
///
/// Its JSON is that of Firebase's `RemoteConfig` resource, of which ``init(json:)`` reads and `Encodable` writes all but the
/// version.
public struct ConfigTemplate: Sendable, Hashable {
    /// Conditions; of several that are true the first that a parameter has a value for counts.
    public var conditions: [Condition] = []
    /// Parameters by their keys.
    public var parameters: [String: Parameter] = [:]
    /// Parameters that people have put together, by the groups' names.
    public var parameterGroups: [String: Group] = [:]

    /// A template without anything.
    public init() {}

    /// Who gets a value.
    public struct Condition: Sendable, Hashable, Encodable {
        /// Its name, by which parameters refer to it.
        public var name: String
        /// What has to be true, in Firebase's language.
        public var expression: String
        /// The color that a console shows it in, such as `BLUE`.
        public var tagColor: String?

        /// A condition by its parts.
        public init(name: String, expression: String, tagColor: String? = nil) {
            self.name = name
            self.expression = expression
            self.tagColor = tagColor
        }
    }

    /// A name that has values.
    public struct Parameter: Sendable, Hashable {
        /// The value if no condition is true.
        public var defaultValue: Value?
        /// Values by the names of conditions.
        public var conditionalValues: [String: Value] = [:]
        /// What it is for.
        public var description: String?
        /// What its values are: `STRING`, `BOOLEAN`, `NUMBER` or `JSON`.
        public var valueType: String?

        /// A parameter with a value for all.
        public init(defaultValue: Value? = nil) { self.defaultValue = defaultValue }
    }

    /// Parameters that belong together.
    public struct Group: Sendable, Hashable, Encodable {
        /// What they are for.
        public var description: String?
        /// Parameters by their keys.
        public var parameters: [String: Parameter] = [:]
    }

    /// What a parameter is.
    public enum Value: Sendable, Hashable {
        /// This text.
        case text(String)
        /// Whatever the app has for it; the parameter is not sent.
        case inAppDefault
        /// A text for a part of the installations, that grows.
        case rollout(id: String, value: String, percent: Double)
        /// One of several texts, by chance, for a part of the installations.
        case experiment(ExperimentValue)
        /// Chosen by Google for a person. The hub keeps it and passes it over.
        case personalization(id: String)
    }

    /// What the variants of an experiment get.
    public struct ExperimentValue: Sendable, Hashable, Encodable {
        /// The experiment's id.
        public var experimentID: String
        /// Variants in their order.
        public var variants: [VariantValue]
        /// How many of those whom its condition names take part, in percent.
        public var exposurePercent: Double

        private enum CodingKeys: String, CodingKey {
            case experimentID = "experimentId"
            case variants = "variantValue"
            case exposurePercent
        }
    }

    /// What a variant of an experiment gets.
    public struct VariantValue: Sendable, Hashable {
        /// The variant's id.
        public var variantID: String
        /// Its text; nil for what the installation would get without the experiment.
        public var value: String?
    }

    /// All parameters, whether in a group or not; no key is there twice.
    public var allParameters: [String: Parameter] {
        parameterGroups.values.reduce(into: parameters) { all, group in
            all.merge(group.parameters) { first, _ in first }
        }
    }

    /// Changes a parameter, wherever it stands; gives false if there is none.
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

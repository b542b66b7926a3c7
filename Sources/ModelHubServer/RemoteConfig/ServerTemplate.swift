/// A template for Firebase's server SDKs: conditions as trees instead of expressions, and no groups.
///
/// Source of the format: the public evaluators of firebase-admin for Python and Node.
struct ServerTemplate: Encodable {
    struct NamedCondition: Encodable {
        var name: String
        var condition: Condition
    }

    indirect enum Condition: Encodable {
        case or([Condition])
        case and([Condition])
        case constant(Bool)
        case percent(Percent)
        case customSignal(CustomSignal)

        private struct List: Encodable {
            var conditions: [Condition]
        }

        private struct Empty: Encodable {}

        private enum Key: String, CodingKey {
            case orCondition, andCondition, percent, customSignal
            case `true`, `false`
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            switch self {
            case .or(let conditions): try container.encode(List(conditions: conditions), forKey: .orCondition)
            case .and(let conditions): try container.encode(List(conditions: conditions), forKey: .andCondition)
            case .constant(let value): try container.encode(Empty(), forKey: value ? .true : .false)
            case .percent(let percent): try container.encode(percent, forKey: .percent)
            case .customSignal(let signal): try container.encode(signal, forKey: .customSignal)
            }
        }
    }

    struct Percent: Encodable {
        struct Range: Encodable {
            var microPercentLowerBound: UInt32
            var microPercentUpperBound: UInt32
        }

        var percentOperator: String
        var seed: String?
        var microPercent: UInt32?
        /// Empty for operators without a range. The Java SDK reads it for all of them.
        var microPercentRange = Range(microPercentLowerBound: 0, microPercentUpperBound: 0)
    }

    struct CustomSignal: Encodable {
        var customSignalOperator: String
        var customSignalKey: String
        var targetCustomSignalValues: [String]
    }

    var conditions: [NamedCondition]
    var parameters: [String: ConfigTemplate.Parameter]
    var version: VersionResource

    /// - Throws: `.invalidArgument` for terms and values that servers cannot evaluate.
    init(_ published: PublishedTemplate) throws(HubError) {
        conditions = try published.template.conditions.map { (condition) throws(HubError) in
            NamedCondition(name: condition.name, condition: try Self.tree(of: condition))
        }
        parameters = published.template.allParameters
        version = VersionResource(published.version)
    }

    /// Rejects terms and values that servers cannot evaluate.
    static func check(_ template: ConfigTemplate) throws(HubError) {
        for condition in template.conditions { _ = try tree(of: condition) }
        for (key, parameter) in template.allParameters.sorted(by: { $0.key < $1.key }) {
            for value in [parameter.defaultValue].compactMap(\.self) + parameter.conditionalValues.values {
                switch value {
                case .text, .inAppDefault: continue
                case .rollout, .experiment, .personalization:
                    throw HubError(
                        .invalidArgument,
                        "The parameter \"\(key)\" has a rollout, an experiment or a personalization, which server SDKs do not support; use "
                            + "conditions with percent in a server template."
                    )
                }
            }
        }
    }

    private static func tree(of condition: ConfigTemplate.Condition) throws(HubError) -> Condition {
        let terms = try ConditionExpression(condition.expression).terms.map { (term) throws(HubError) in
            guard let tree = term.serverCondition else {
                throw HubError(
                    .invalidArgument,
                    "The condition \"\(condition.name)\" contains \"\(term)\", which server SDKs do not support; a server template supports percent and "
                        + "app.customSignal only."
                )
            }
            return tree
        }
        // The evaluators expect a disjunction of conjunctions.
        return .or([.and(terms)])
    }
}

extension ServerTemplate.Condition {
    /// A comparison of a custom signal; nil for other subjects, which server SDKs do not support.
    static func signal(_ subject: ConditionSubject, _ name: String, _ values: [String]) -> Self? {
        guard case .customSignal(let key) = subject else { return nil }
        return .customSignal(.init(customSignalOperator: name, customSignalKey: key, targetCustomSignalValues: values))
    }
}

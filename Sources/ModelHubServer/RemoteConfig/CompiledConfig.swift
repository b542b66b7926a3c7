import Crypto
import Foundation
import HTTPServing
import NIOCore

/// A template prepared for repeated fetches.
///
/// It is immutable, so that requests share it. The part of a reply for each value is encoded in advance; a request only
/// selects parts.
final class CompiledConfig: Sendable {
    /// A reply to a client.
    struct Reply {
        /// Changes only with the values that this installation gets.
        var etag: String
        /// The JSON.
        var body: ByteBuffer
    }

    private enum Value: Sendable {
        /// The piece `"key":"text"`.
        case text([UInt8])
        case inAppDefault
        case rollout(seed: Int, percent: UInt32, text: [UInt8], description: [UInt8])
        case experiment(Int)
        /// The hub has no value.
        case none
    }

    private struct Parameter: Sendable {
        /// The conditions with a value, in the order of the template. Their numbers are apart from the values, most of which a
        /// request never reads.
        var conditions: [Int]
        var values: [Value]
        var otherwise: Value
    }

    /// An experiment with a parameter.
    private struct RunningExperiment: Sendable {
        var assignment: CompiledAssignment
        /// For each variant: the encoded parameter, if its value changes, and the description.
        var variants: [(text: [UInt8]?, description: [UInt8])]
    }

    /// The version of the template.
    let version: Int64
    private let conditions: [CompiledCondition]
    private let parameters: [Parameter]
    private let experiments: [RunningExperiment]
    private let names: ConditionNames
    private let projectNumber: Int64
    /// `,"state":"UPDATE","templateVersion":"7"}`.
    private let ending: [UInt8]
    private let isEmpty: Bool
    /// The maximum duration of a reply.
    let work: EvaluationWork

    init(_ template: ConfigTemplate, version: Int64, experiments running: [Experiment], projectNumber: Int64) {
        self.version = version
        var names = ConditionNames()
        var experiments: [RunningExperiment] = []
        // Published templates were checked. An expression that is no longer readable is never true.
        conditions = template.conditions.map { condition in
            let expression = try? ConditionExpression.parse(condition.expression)
            return CompiledCondition(
                expression ?? ConditionExpression(terms: [ConstantTerm(value: false)]),
                names: &names
            )
        }
        let numbers = Dictionary(
            template.conditions.enumerated().map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        let byID = Dictionary(running.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        func compile(_ value: ConfigTemplate.Value?, _ key: String) -> Value {
            func piece(_ text: String) -> [UInt8] {
                OrderedJSON.quoted(key) + [UInt8(ascii: ":")] + OrderedJSON.quoted(text)
            }
            switch value {
            case nil, .personalization: return .none
            case .text(let text): return .text(piece(text))
            case .inAppDefault: return .inAppDefault
            case .rollout(let id, let text, let percent):
                let description =
                    "{\"affectedParameterKeys\":[\"\(key)\"],\"rolloutId\":\"\(id)\",\"variantId\":\"enabled\"}"
                return .rollout(
                    seed: names.seeds.number(of: id),
                    percent: UInt32(percent * 1_000_000),
                    text: piece(text),
                    description: Array(description.utf8)
                )
            case .experiment(let value):
                guard let experiment = byID[value.experimentID], experiment.isRunning else { return .none }
                experiments.append(
                    RunningExperiment(
                        assignment: CompiledAssignment(experiment, names: &names),
                        variants: experiment.variants.map { variant in
                            (
                                text: variant.value.map(piece),
                                description: Array(experiment.clientDescription(of: variant, parameter: key).utf8)
                            )
                        }
                    )
                )
                return .experiment(experiments.count - 1)
            }
        }
        parameters = template.allParameters.sorted { $0.key < $1.key }.map { key, parameter in
            let choices = parameter.conditionalValues.compactMap { name, value in
                numbers[name].map { (condition: $0, value: compile(value, key)) }
            }.sorted { $0.condition < $1.condition }
            return Parameter(
                conditions: choices.map(\.condition),
                values: choices.map(\.value),
                otherwise: compile(parameter.defaultValue, key)
            )
        }
        // Each term is evaluated once, however many conditions have it.
        var work = names.terms.reduce(into: EvaluationWork()) { $0 += $1.work }
        work.nanoseconds += template.conditions.count * 20
        // Each seed costs a hash. Each subject is trimmed, and parsed as a number and as a version.
        work.nanoseconds += (names.seeds.elements.count + names.subjects.elements.count) * 500
        for parameter in parameters {
            let values = parameter.values + [parameter.otherwise]
            let byteCount = values.map { Self.byteCount(of: $0, experiments) }.max() ?? 0
            // The longest value is copied and hashed.
            work.nanoseconds += 50 + parameter.values.count * 10 + byteCount * 2
        }
        self.work = work
        self.experiments = experiments
        self.names = names
        self.projectNumber = projectNumber
        isEmpty = template.allParameters.isEmpty
        ending = Array(",\"state\":\"\(isEmpty ? "EMPTY_CONFIG" : "UPDATE")\",\"templateVersion\":\"\(version)\"}".utf8)
    }

    /// The current values of a client.
    func reply(to client: ClientContext, now: Timestamp) -> Reply {
        var state = EvaluationState(client: client, now: now, names: names)
        var known = [UInt8](repeating: Self.unknown, count: conditions.count)
        var body = ByteBuffer()
        body.reserveCapacity(256 + parameters.count * 48)
        body.writeStaticString("{\"entries\":{")
        var descriptions: [[UInt8]] = []
        var rollouts: [[UInt8]] = []
        var isFirst = true
        func write(_ piece: [UInt8]) {
            if !isFirst { body.writeInteger(UInt8(ascii: ",")) }
            isFirst = false
            body.writeBytes(piece)
        }
        /// Whether the value determines the parameter.
        func apply(_ value: Value) -> Bool {
            switch value {
            case .text(let piece):
                write(piece)
                return true
            case .inAppDefault: return true
            case .none: return false
            case .rollout(let seed, let percent, let text, let description):
                guard let place = state.place(seed), place < percent else { return false }
                write(text)
                rollouts.append(description)
                return true
            case .experiment(let index):
                let experiment = experiments[index]
                guard let variant = experiment.assignment.variant(&state) else { return false }
                descriptions.append(experiment.variants[variant].description)
                guard let piece = experiment.variants[variant].text else { return false }
                write(piece)
                return true
            }
        }
        for index in parameters.indices {
            var isSettled = false
            for choice in parameters[index].conditions.indices where !isSettled {
                let condition = parameters[index].conditions[choice]
                if known[condition] == Self.unknown {
                    known[condition] = conditions[condition].holds(&state) ? Self.true : Self.false
                }
                if known[condition] == Self.true { isSettled = apply(parameters[index].values[choice]) }
            }
            if !isSettled { _ = apply(parameters[index].otherwise) }
        }
        body.writeStaticString("}")
        Self.write(descriptions, as: "experimentDescriptions", to: &body)
        Self.write(rollouts, as: "rolloutMetadata", to: &body)
        let etag = etag(of: body.readableBytesView)
        body.writeBytes(ending)
        return Reply(etag: etag, body: body)
    }

    /// The maximum number of bytes that a value adds to a reply.
    private static func byteCount(of value: Value, _ experiments: [RunningExperiment]) -> Int {
        switch value {
        case .text(let text): text.count
        case .rollout(_, _, let text, let description): text.count + description.count
        case .experiment(let index):
            experiments[index].variants.map { ($0.text?.count ?? 0) + $0.description.count }.max() ?? 0
        case .inAppDefault, .none: 0
        }
    }

    private static let unknown: UInt8 = 2
    private static let `true`: UInt8 = 1
    private static let `false`: UInt8 = 0

    private static func write(_ pieces: [[UInt8]], as key: StaticString, to body: inout ByteBuffer) {
        if pieces.isEmpty { return }
        body.writeStaticString(",\"")
        body.writeStaticString(key)
        body.writeStaticString("\":[")
        for (index, piece) in pieces.enumerated() {
            if index > 0 { body.writeInteger(UInt8(ascii: ",")) }
            body.writeBytes(piece)
        }
        body.writeStaticString("]")
    }

    private func etag(of content: ByteBufferView) -> String {
        let hash = SHA256.hash(data: content)
        return "etag-\(projectNumber)-firebase-fetch-\(Array(hash.prefix(12)).hexadecimalText)"
    }
}

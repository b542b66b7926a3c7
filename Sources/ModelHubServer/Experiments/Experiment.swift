import Foundation

/// An A/B test: a parameter with different values for randomly chosen groups of installations.
///
/// The variant depends only on the ids of the installation and the experiment (see `CompiledAssignment`). The hub
/// stores no assignments, so none can be lost. While an experiment runs, its variants and weights stay the same and its
/// exposure only increases, so that no installation ever changes its variant.
package struct Experiment: Sendable, Hashable {
    /// A group of installations and its value.
    package struct Variant: Sendable, Hashable, Codable {
        /// Its id, such as `control` or `b`.
        package var id: String
        /// The parameter's value; nil for the value without the experiment.
        package var value: String?
        /// The share of installations, relative to the other weights.
        package var weight: Int

        /// Creates a variant from its parts.
        package init(id: String, value: String?, weight: Int = 1) {
            self.id = id
            self.value = value
            self.weight = weight
        }
    }

    /// The experiment's id, which is never used again in the project.
    package var id: String
    /// The parameter of the experiment.
    package var parameter: String
    /// The condition that selects installations; nil for all installations.
    package var condition: String?
    /// The variants; the first is the control variant.
    package var variants: [Variant]
    /// The percentage of the selected installations that take part.
    package var exposurePercent: Double
    /// The start time.
    package var startTime: Timestamp
    /// The stop time; nil while the experiment runs.
    package var stopTime: Timestamp?
    /// The variant that became the value for all installations at the end.
    package var winner: String?

    /// Whether the experiment runs.
    package var isRunning: Bool { stopTime == nil }

    static let variantLimit = 20
    static let weightLimit = 1_000_000
    /// The maximum number of experiments in a project, including stopped experiments.
    static let limit = 1000
    /// The maximum size of the values of all variants together in bytes.
    static let valueLimit = 64 << 10

    /// Whether a text is a valid id: 1 to 40 letters, digits, hyphens and underscores.
    static func isID(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 95
            }
    }

    static func idRule(_ text: String) -> String {
        "\"\(text.prefix(60))\" cannot be an id; use 1 to 40 letters, digits, hyphens and underscores"
    }

    /// The name of the condition in the template that contains the experiment's values.
    var conditionName: String { "experiment \(id)" }

    /// The value in the template.
    var templateValue: ConfigTemplate.Value {
        .experiment(
            ConfigTemplate.ExperimentValue(
                experimentID: id,
                variants: variants.map { .init(variantID: $0.id, value: $0.value) },
                exposurePercent: exposurePercent
            )
        )
    }

    /// An element of `experimentDescriptions` in the format of clients. JSON would escape no character of an id.
    func clientDescription(of variant: Variant, parameter: String) -> String {
        // Firebase's A/B testing keeps both untriggered and triggered experiments for 180 days.
        let lifetime = 15_552_000_000
        return "{\"affectedParameterKeys\":[\"\(parameter)\"],\"experimentId\":\"\(id)\","
            + "\"experimentStartTime\":\"\(startTime)\",\"timeToLiveMillis\":\"\(lifetime)\","
            + "\"triggerTimeoutMillis\":\"\(lifetime)\",\"variantId\":\"\(variant.id)\"}"
    }
}

/// Assigns the variants of an experiment to installations.
///
/// An installation takes part if its bucket (see ``PercentBucket``) for the seed `ID.exposure` is below the exposure.
/// Its variant is the one whose share of 10⁸ contains its bucket for the seed `ID.variant`. Because the two are
/// independent, a greater exposure adds installations and moves none.
struct CompiledAssignment: Sendable {
    private let exposureSeed: Int
    private let variantSeed: Int
    private let exposure: UInt32
    /// The end of each variant's share.
    private let ends: [UInt32]

    init(_ experiment: Experiment, names: inout ConditionNames) {
        exposureSeed = names.seeds.number(of: experiment.id + ".exposure")
        variantSeed = names.seeds.number(of: experiment.id + ".variant")
        exposure = UInt32(min(max(experiment.exposurePercent, 0), 100) * 1_000_000)
        ends = Self.ends(experiment.variants.map(\.weight))
    }

    private static func ends(_ weights: [Int]) -> [UInt32] {
        let total = max(weights.reduce(0, +), 1)
        var sum = 0
        return weights.map { weight in
            sum += weight
            return UInt32(UInt64(sum) * UInt64(PercentBucket.count) / UInt64(total))
        }
    }

    /// The variant's number; nil if the installation does not take part.
    func variant(_ state: inout EvaluationState) -> Int? {
        guard let place = state.place(exposureSeed), place < exposure, let share = state.place(variantSeed) else {
            return nil
        }
        return ends.firstIndex { share < $0 }
    }

    /// The variant of an installation; nil if the installation does not take part.
    static func variant(of installation: String, in experiment: Experiment) -> Experiment.Variant? {
        var names = ConditionNames()
        let assignment = CompiledAssignment(experiment, names: &names)
        let client = ClientContext(installationID: installation)
        var state = EvaluationState(client: client, now: experiment.startTime, names: names)
        return assignment.variant(&state).map { experiment.variants[$0] }
    }
}

import Foundation

/// An A/B test: a parameter that is this for some installations and that for others, by chance.
///
/// Who gets what follows from the installation's id and the experiment's alone (see `CompiledAssignment`): nothing is stored
/// of it, so that nothing can be lost. While an experiment runs its variants and weights stay as they are and its exposure only
/// grows, so that no installation ever changes its variant.
public struct Experiment: Sendable, Hashable {
    /// What a part of the installations gets.
    public struct Variant: Sendable, Hashable, Codable {
        /// Its id, such as `control` or `b`.
        public var id: String
        /// The parameter's value; nil for what it would be without the experiment.
        public var value: String?
        /// How many installations it gets, in relation to the other weights.
        public var weight: Int

        /// A variant by its parts.
        public init(id: String, value: String?, weight: Int = 1) {
            self.id = id
            self.value = value
            self.weight = weight
        }
    }

    /// Its id, of which there is one in a project for all times.
    public var id: String
    /// The parameter that it is about.
    public var parameter: String
    /// The condition that says whom it concerns; nil for all.
    public var condition: String?
    /// What there is to get; the others are compared with the first.
    public var variants: [Variant]
    /// How many of those whom it concerns take part, in percent.
    public var exposurePercent: Double
    /// When it was started.
    public var startTime: Timestamp
    /// When it was stopped; nil while it runs.
    public var stopTime: Timestamp?
    /// The variant that all got when it was stopped.
    public var winner: String?

    /// Whether it runs.
    public var isRunning: Bool { stopTime == nil }

    static let variantLimit = 20
    static let weightLimit = 1_000_000
    /// How many experiments a project may have, those that were stopped included.
    static let limit = 1000
    /// The most bytes that the values of all variants have together.
    static let valueLimit = 64 << 10

    /// 1 to 40 letters, digits, hyphens and underscores.
    static func isID(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 95
            }
    }

    static func idRule(_ text: String) -> String {
        "\"\(text.prefix(60))\" cannot be an id; use 1 to 40 letters, digits, hyphens and underscores"
    }

    /// The name of the condition in the template under which the parameter has the experiment's values.
    var conditionName: String { "experiment \(id)" }

    /// The value that the template holds.
    var templateValue: ConfigTemplate.Value {
        .experiment(
            ConfigTemplate.ExperimentValue(
                experimentID: id,
                variants: variants.map { .init(variantID: $0.id, value: $0.value) },
                exposurePercent: exposurePercent
            )
        )
    }

    /// An element of `experimentDescriptions`, as clients get it. No id has a character that JSON would escape.
    func clientDescription(of variant: Variant, parameter: String) -> String {
        // How long Firebase's A/B testing keeps an experiment that was not triggered, and one that was: 180 days.
        let lifetime = 15_552_000_000
        return "{\"affectedParameterKeys\":[\"\(parameter)\"],\"experimentId\":\"\(id)\","
            + "\"experimentStartTime\":\"\(startTime)\",\"timeToLiveMillis\":\"\(lifetime)\","
            + "\"triggerTimeoutMillis\":\"\(lifetime)\",\"variantId\":\"\(variant.id)\"}"
    }
}

/// Who gets which variant of an experiment.
///
/// An installation takes part if its place (see ``PercentBucket``) for the seed `ID.exposure` is below the exposure, and gets
/// the variant in whose share of 10⁸ its place for the seed `ID.variant` lies. As the two are independent, a greater exposure
/// adds installations and moves none.
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

    /// The variant's number; nil for one who does not take part.
    func variant(_ state: inout EvaluationState) -> Int? {
        guard let place = state.place(exposureSeed), place < exposure, let share = state.place(variantSeed) else {
            return nil
        }
        return ends.firstIndex { share < $0 }
    }

    /// The variant of an installation; nil if it does not take part.
    static func variant(of installation: String, in experiment: Experiment) -> Experiment.Variant? {
        var names = ConditionNames()
        let assignment = CompiledAssignment(experiment, names: &names)
        let client = ClientContext(installationID: installation)
        var state = EvaluationState(client: client, now: experiment.startTime, names: names)
        return assignment.variant(&state).map { experiment.variants[$0] }
    }
}

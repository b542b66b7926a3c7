/// The mean confidence of a model's results in one report of an app.
struct ConfidenceReport: Sendable, Hashable {
    /// The name of the model.
    var model: String
    /// The version that the app has; nil for the served one.
    var version: Int?
    /// The number of results.
    var count: Int
    /// The mean, 0…1.
    var mean: Double

    /// The name of the score.
    static let score = OutcomeMetric.score("confidence")

    /// The mean in a record of an experiment; nil for other metrics, and for values that are not confidences.
    init?(_ record: OutcomeBatch.Record) {
        // Values from 0 to 1 are not below their squares.
        guard record.metric == Self.score, record.count > 0, (0...Double(record.count)).contains(record.sum),
            record.squares <= record.sum * (1 + 1e-6)
        else { return nil }
        (model, count, mean) = (record.model, record.count, record.sum / Double(record.count))
    }

    /// The mean in a record of a rollout, whose group names the version.
    init?(_ record: OutcomeBatch.Record, of rollout: Rollout) {
        self.init(record)
        guard record.model == rollout.modelName, let group = RolloutGroup(rawValue: record.variant) else { return nil }
        version = group == .new ? rollout.newVersion : rollout.oldVersion
    }

    /// The place of the mean among the ranges of a week.
    var place: Int { min(Int(mean * Double(ConfidenceWeek.ranges)), ConfidenceWeek.ranges - 1) }
}

import ModelHubProtocol

/// An app's report of the results that its users got. It contains only sums, so no single result leaves the device.
package struct OutcomeBatch: Sendable, Hashable {
    /// The measurements of a metric for a model in a variant.
    package struct Record: Sendable, Hashable {
        /// The experiment's id.
        package var experiment: String
        /// The variant's id.
        package var variant: String
        /// The model's name.
        package var model: String
        /// The metric.
        package var metric: OutcomeMetric
        /// The number of values.
        package var count: Int
        /// The sum of the values.
        package var sum: Double
        /// The sum of the squared values.
        package var squares: Double
        /// The number of values in each bucket of `LatencyBucket`.
        package var histogram: [Int: Int] = [:]

        /// Creates a record.
        package init(
            experiment: String,
            variant: String,
            model: String,
            metric: OutcomeMetric,
            count: Int,
            sum: Double,
            squares: Double,
            histogram: [Int: Int] = [:]
        ) {
            self.experiment = experiment
            self.variant = variant
            self.model = model
            self.metric = metric
            self.count = count
            self.sum = sum
            self.squares = squares
            self.histogram = histogram
        }
    }

    /// The id, which the client chooses for every batch. A batch that arrives twice counts once.
    package var id: String
    /// The hash of the installation's id, or of its substitute.
    package var installation: [UInt8]
    /// The sums, one record for each metric of a model in a variant.
    package var records: [Record]
    /// The comparisons of two versions' answers.
    package var shadows: [ShadowOutcome] = []

    /// Creates a batch.
    package init(id: String, installation: [UInt8], records: [Record], shadows: [ShadowOutcome] = []) {
        (self.id, self.installation, self.records, self.shadows) = (id, installation, records, shadows)
    }
}

extension OutcomeBatch.Record {
    /// The metric, the model and the variant that a record describes.
    struct Subject: Hashable {
        var experiment, variant, model: String
        var metric: OutcomeMetric
    }

    var subject: Subject { Subject(experiment: experiment, variant: variant, model: model, metric: metric) }

    /// Adds the sums of other results.
    mutating func add(_ other: Self) {
        // The reader bounds each count and the number of counts.
        count += other.count
        sum += other.sum
        squares += other.squares
        histogram.merge(other.histogram) { $0 + $1 }
    }
}

extension [OutcomeBatch.Record] {
    /// One record for each subject, in the order of their first appearance.
    func merged() -> [OutcomeBatch.Record] {
        var records: [OutcomeBatch.Record] = []
        var places: [OutcomeBatch.Record.Subject: Int] = [:]
        for record in self {
            if let place = places[record.subject] {
                records[place].add(record)
            } else {
                places[record.subject] = records.count
                records.append(record)
            }
        }
        return records
    }
}

/// A metric of results.
package enum OutcomeMetric: Sendable, Hashable, Comparable {
    /// The number of results.
    case results
    /// The number of results without an installation token. The hub stores nothing else about them.
    case unidentified
    /// The latency in milliseconds; lower is better.
    case latency
    /// A score that the app assigns; higher is better.
    case score(String)

    /// Whether the metric is a number of results, which does not measure their quality.
    package var isCount: Bool { self == .results || self == .unidentified }

    /// `results`, `unidentified`, `latency`, or `score:` followed by the name.
    package var text: String {
        switch self {
        case .results: "results"
        case .unidentified: "unidentified"
        case .latency: "latency"
        case .score(let name): "score:" + name
        }
    }

    /// Creates a metric from its text.
    package init?(_ text: String) {
        switch text {
        case "results": self = .results
        case "unidentified": self = .unidentified
        case "latency": self = .latency
        default:
            guard text.hasPrefix("score:") else { return nil }
            self = .score(String(text.dropFirst(6)))
        }
    }

    /// Whether a text is a letter followed by up to 39 letters, digits and underscores.
    static func isScoreName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && ConfigTemplate.isName(text)
    }
}

/// The accumulated values of a metric in a variant.
///
/// The sums are over installations, since installations are assigned to variants at random and single results are not.
package struct OutcomeTotal: Sendable, Hashable {
    /// The variant's id.
    package var variant: String
    /// The model's name; empty for all models together.
    package var model: String
    /// The metric.
    package var metric: OutcomeMetric
    /// The sums over the installations with reports.
    package var sums = DeviceSums()
    /// The sum of the squared values.
    package var squares = 0.0
    /// The number of values in each bucket of `LatencyBucket`.
    package var histogram: [Int: Int] = [:]

    /// The number of values.
    package var count: Int { Int(exactly: sums.count.rounded()) ?? .max }

    /// Creates a total without values.
    package init(variant: String, model: String, metric: OutcomeMetric) {
        self.variant = variant
        self.model = model
        self.metric = metric
    }

    /// Adds a report of an installation whose earlier reports sum up to `before`.
    package mutating func add(_ record: OutcomeBatch.Record, before: (count: Int, sum: Double)?) {
        let old = before.map { (count: Double($0.count), sum: $0.sum) }
        sums.replace(old, by: ((old?.count ?? 0) + Double(record.count), (old?.sum ?? 0) + record.sum))
        squares += record.squares
        for (bucket, number) in record.histogram { histogram[bucket, default: 0] &+= number }
    }
}

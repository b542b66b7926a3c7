/// What an app reports of the results that its users got, in sums, so that nothing of a single result leaves the device.
public struct OutcomeBatch: Sendable, Hashable {
    /// What was measured of the results of one model in one variant.
    public struct Record: Sendable, Hashable {
        /// The experiment's id.
        public var experiment: String
        /// The variant's id.
        public var variant: String
        /// The model's name.
        public var model: String
        /// What was measured.
        public var metric: OutcomeMetric
        /// How many values there are.
        public var count: Int
        /// Their sum.
        public var sum: Double
        /// The sum of their squares.
        public var squares: Double
        /// How many values each bucket of `LatencyBucket` has.
        public var histogram: [Int: Int] = [:]
    }

    /// Chosen by the client, new for every batch; one that comes twice counts once.
    public var id: String
    /// The installation, or what stands for it, as a hash.
    public var installation: [UInt8]
    /// The sums, one record for each metric of a model in a variant.
    public var records: [Record]
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
        // Each count is bounded where it is read, and so is their number.
        count += other.count
        sum += other.sum
        squares += other.squares
        histogram.merge(other.histogram) { $0 + $1 }
    }
}

extension [OutcomeBatch.Record] {
    /// One record for each subject, in the order in which subjects are first named.
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

/// What is measured of results.
public enum OutcomeMetric: Sendable, Hashable, Comparable {
    /// How many results there were.
    case results
    /// How many results came without an installation token. The hub keeps nothing else of them.
    case unidentified
    /// How long they took, in milliseconds; less is better.
    case latency
    /// What the app gave each of them; more is better.
    case score(String)

    /// Whether the metric is a number of results, which says nothing about their quality.
    public var isCount: Bool { self == .results || self == .unidentified }

    /// `results`, `unidentified`, `latency`, or `score:` and its name.
    public var text: String {
        switch self {
        case .results: "results"
        case .unidentified: "unidentified"
        case .latency: "latency"
        case .score(let name): "score:" + name
        }
    }

    /// The metric of a text.
    init?(_ text: String) {
        switch text {
        case "results": self = .results
        case "unidentified": self = .unidentified
        case "latency": self = .latency
        default:
            guard text.hasPrefix("score:") else { return nil }
            self = .score(String(text.dropFirst(6)))
        }
    }

    /// A letter, then up to 39 letters, digits and underscores.
    static func isScoreName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && ConfigTemplate.isKey(text)
    }
}

/// What is known of a metric in a variant.
///
/// Sums over installations are of what each of them reported in all, `n` results with the sum `x`; of them the variance of the
/// mean is computed as if installations had been drawn, which they were, and not results, which were not.
public struct OutcomeTotal: Sendable, Hashable {
    /// The variant's id.
    public var variant: String
    /// The model's name; empty for all models together.
    public var model: String
    /// What was measured.
    public var metric: OutcomeMetric
    /// How many installations reported it.
    public var installations = 0
    /// How many values there are.
    public var count = 0
    /// Their sum.
    public var sum = 0.0
    /// The sum of their squares.
    public var squares = 0.0
    /// The sum of n² over installations.
    var sumNN = 0.0
    /// The sum of x² over installations.
    var sumXX = 0.0
    /// The sum of n·x over installations.
    var sumNX = 0.0
    /// How many values each bucket of `LatencyBucket` has.
    public var histogram: [Int: Int] = [:]

    /// Adds what an installation reports that had reported `before`.
    mutating func add(_ record: OutcomeBatch.Record, before: (count: Int, sum: Double)?) {
        let (oldCount, oldSum) = (Double(before?.count ?? 0), before?.sum ?? 0)
        let (newCount, newSum) = (oldCount + Double(record.count), oldSum + record.sum)
        if before == nil { installations += 1 }
        // Each count is bounded where it is read, so that only many years of reports could fill the number.
        count = count.addingReportingOverflow(record.count).partialValue
        sum += record.sum
        squares += record.squares
        sumNN += newCount * newCount - oldCount * oldCount
        sumXX += newSum * newSum - oldSum * oldSum
        sumNX += newCount * newSum - oldCount * oldSum
        for (bucket, number) in record.histogram { histogram[bucket, default: 0] &+= number }
    }
}

/// The number of answers, and of right answers, at each confidence threshold 0, 0.01 … 1.
///
/// An answer counts at a threshold if its confidence is at least the threshold, as for `confidenceThreshold` of a
/// labeler. The curve stores only the thresholds at which a number changes, so it is short if there are few answers.
public struct ThresholdCurve: Sendable, Hashable {
    /// The numbers from a threshold on.
    struct Step: Sendable, Hashable {
        /// The threshold in hundredths.
        var percent: Int
        /// The number of answers with at least this confidence.
        var answers: Int
        /// The number of right answers among them.
        var right: Int
    }

    /// The numbers at a threshold.
    public struct Point: Sendable, Hashable, Codable {
        /// The threshold, 0…1.
        public var threshold: Double
        /// The number of answers with at least this confidence.
        public var answers: Int
        /// The number of right answers among them.
        public var right: Int
        /// The number of pictures or objects to find.
        public var wanted: Int

        /// Right answers ÷ answers; nil if there are no answers.
        public var precision: Double? { answers > 0 ? Double(right) / Double(answers) : nil }
        /// Right answers ÷ pictures or objects to find; nil if there are none to find.
        public var recall: Double? { wanted > 0 ? Double(right) / Double(wanted) : nil }
        /// The harmonic mean of precision and recall, 2 × right ÷ (answers + wanted); nil if there is nothing to count.
        public var f1: Double? { answers + wanted > 0 ? 2 * Double(right) / Double(answers + wanted) : nil }
    }

    /// The number of pictures with a label, or of objects, to find.
    public let wanted: Int
    /// The steps in ascending order; the first is at 0.
    let steps: [Step]

    /// The highest threshold in hundredths.
    static let maximumPercent = 100

    /// Creates a curve from the numbers of answers by their confidence.
    init(wanted: Int, answers: ConfidenceCounts, right: ConfidenceCounts) {
        self.wanted = wanted
        var steps: [Step] = []
        for (percent, counts) in zip(answers.cumulated, right.cumulated).enumerated() {
            let step = Step(percent: percent, answers: counts.0, right: counts.1)
            if let last = steps.last, last.answers == step.answers, last.right == step.right { continue }
            steps.append(step)
        }
        self.steps = steps
    }

    /// The numbers at a threshold in 0…1, which is rounded to hundredths.
    public func point(at threshold: Double) -> Point {
        let percent = (threshold.isFinite ? min(max(threshold, 0), 1) * 100 : 0).rounded()
        let step = steps.last { Double($0.percent) <= percent }
        return Point(threshold: percent / 100, answers: step?.answers ?? 0, right: step?.right ?? 0, wanted: wanted)
    }

    /// The numbers at 0, 0.01 … 1.
    public var points: [Point] {
        var points: [Point] = []
        var next = 0
        var current = Step(percent: 0, answers: 0, right: 0)
        for percent in 0...Self.maximumPercent {
            while next < steps.count, steps[next].percent <= percent {
                current = steps[next]
                next += 1
            }
            points.append(
                Point(
                    threshold: Double(percent) / 100,
                    answers: current.answers,
                    right: current.right,
                    wanted: wanted
                )
            )
        }
        return points
    }

    /// The point with the highest F1; for equal values, the one with the highest threshold. Nil if no answer is right.
    public var best: Point? {
        points.filter { $0.right > 0 }.max { ($0.f1 ?? 0, $0.threshold) < ($1.f1 ?? 0, $1.threshold) }
    }

    /// The threshold in the middle of those that are as good as the best one; nil if no answer is right.
    ///
    /// Few answers leave many thresholds with the same F1. ``best`` is the highest of them, the confidence of one of these answers, which
    /// the next right answer may well miss. The middle leaves as much room to it as to the most confident wrong answer.
    ///
    /// - Parameter floor: The confidence that any answer has, below which all thresholds are the same.
    package func middle(from floor: Double) -> Double? {
        guard let best else { return nil }
        let equal = points.prefix { $0.threshold <= best.threshold }.reversed().prefix { $0.f1 == best.f1 }
        let lowest = max(equal.last?.threshold ?? best.threshold, min(floor, best.threshold))
        return (100 * (lowest + best.threshold) / 2).rounded() / 100
    }

    /// The point with the lowest threshold that has at least the wanted precision; nil if there is no such point.
    public func lowest(precision: Double) -> Point? {
        points.first { $0.precision.map { $0 >= precision } ?? false }
    }
}

extension ThresholdCurve: Codable {
    private enum CodingKeys: String, CodingKey {
        case wanted, steps
    }

    /// Encodes `{"wanted": 120, "steps": [[0, 118, 97], [31, 117, 97], …]}`: threshold in hundredths, answers, right
    /// answers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(wanted, forKey: .wanted)
        try container.encode(steps.map { [$0.percent, $0.answers, $0.right] }, forKey: .steps)
    }

    /// Decodes the format of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        wanted = try container.decode(Int.self, forKey: .wanted)
        let limit = 1 << 53
        steps = try container.decode([[Int]].self, forKey: .steps).map { numbers in
            guard numbers.count == 3, (0...Self.maximumPercent).contains(numbers[0]), (0...limit).contains(numbers[1]),
                (0...limit).contains(numbers[2])
            else {
                throw DecodingError.dataCorruptedError(
                    forKey: .steps,
                    in: container,
                    debugDescription: "a step is a threshold in hundredths and two counts"
                )
            }
            return Step(percent: numbers[0], answers: numbers[1], right: numbers[2])
        }
        guard (0...limit).contains(wanted), zip(steps, steps.dropFirst()).allSatisfy({ $0.percent < $1.percent }) else {
            throw DecodingError.dataCorruptedError(
                forKey: .steps,
                in: container,
                debugDescription: "steps are in ascending order"
            )
        }
    }
}

/// The number of answers with at least a given confidence, in hundredths.
struct ConfidenceCounts: Sendable, Hashable {
    /// The number of answers in each hundredth.
    private var counts = [UInt32](repeating: 0, count: ThresholdCurve.maximumPercent + 1)

    /// In single precision, as in a labeler.
    private static let thresholds = (0...ThresholdCurve.maximumPercent).map { Float($0) / 100 }

    /// Counts an answer. An answer with a negative confidence or NaN does not count at any threshold.
    mutating func add(_ confidence: Float) {
        guard confidence >= 0 else { return }
        var percent = Int((min(confidence, 1) * 100).rounded(.down))
        while percent > 0, confidence < Self.thresholds[percent] { percent -= 1 }
        while percent < ThresholdCurve.maximumPercent, confidence >= Self.thresholds[percent + 1] { percent += 1 }
        counts[percent] &+= 1
    }

    /// Adds other counts.
    mutating func add(_ other: ConfidenceCounts) {
        for index in counts.indices { counts[index] &+= other.counts[index] }
    }

    /// The numbers of answers with at least 0, 1 … 100 hundredths.
    var cumulated: [Int] {
        var sum = 0
        return Array(
            counts.reversed().map { count in
                sum += Int(count)
                return sum
            }.reversed()
        )
    }
}

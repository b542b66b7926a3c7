import Foundation

/// A quantity that must not become worse with a new version.
package enum RolloutGuard: Sendable, Hashable {
    /// The share of failed results: the score `failures`, which is 1 for a failed result and 0 for others. Lower is better.
    case failures
    /// The latency. Its logarithm is compared, so that a single very slow device does not hide the others. Lower is better.
    case latency
    /// The mean of the score `confidence`. Higher is better.
    case confidence
    /// The mean of a score that the app defines. Higher is better.
    case score(String)

    /// `failures`, `latency`, `confidence`, or `score:` followed by a name.
    package var text: String {
        switch self {
        case .failures: "failures"
        case .latency: "latency"
        case .confidence: "confidence"
        case .score(let name): "score:" + name
        }
    }

    /// Creates a guard from its text; nil if there is none with this text.
    package init?(_ text: String) {
        switch text {
        case "failures": self = .failures
        case "latency": self = .latency
        case "confidence": self = .confidence
        default:
            let name = text.dropFirst(6)
            guard text.hasPrefix("score:"), Self.isScoreName(name) else { return nil }
            self = .score(String(name))
        }
    }

    /// Whether a text is a name of a score: a letter, then letters, digits and underscores, at most 40 characters.
    private static func isScoreName(_ text: Substring) -> Bool {
        let letters = text.utf8.first.map { (65...90).contains($0 & 0xDF) } ?? false
        return letters && text.utf8.count <= 40
            && text.utf8.allSatisfy { (65...90).contains($0 & 0xDF) || (48...57).contains($0) || $0 == 95 }
    }

    /// The guard in words, at the beginning of a sentence.
    package var title: String {
        switch self {
        case .failures: "Failures"
        case .latency: "Latency"
        case .confidence: "Confidence"
        case .score(let name): "The score \(name)"
        }
    }

    /// The unit in which changes are expressed.
    enum Scale: Sendable, Hashable {
        /// A difference of shares.
        case points
        /// A difference of natural logarithms.
        case logarithm
        /// A difference relative to the old mean.
        case relative
    }

    var scale: Scale {
        switch self {
        case .failures: .points
        case .latency: .logarithm
        case .confidence, .score: .relative
        }
    }

    /// A change for the worse that a rollout must find: 2 points of failures, 10 % of latency, 10 % of a score.
    var harm: Double {
        switch scale {
        case .points: 0.02
        case .logarithm: log(1.1)
        case .relative: 0.1
        }
    }

    /// The most results as which a device counts. Devices differ more than the results of one device do, so each device counts once;
    /// failures are rare, so that devices with many results say more about them. A device that reports millions counts no more.
    var weightLimit: Double { self == .failures ? 50 : 1 }

    /// A negligible change for the worse, at which a rollout continues even if it is certain: a tenth of ``harm``.
    var tolerance: Double { harm / 10 }
}

extension RolloutGuard {
    /// A change in percent, or in percentage points.
    func shown(_ change: Double) -> Double {
        // A logarithm from reports is below 20, but an interval may end anywhere.
        scale == .logarithm ? (exp(min(change, 20)) - 1) * 100 : change * 100
    }

    /// A mean in the unit of its reports.
    func shownMean(_ mean: Double) -> Double { scale == .logarithm ? exp(min(mean, 20)) : mean }
}

extension RolloutGuard: Codable {
    /// Reads the text.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let known = Self(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "there is no guard \"\(text.prefix(60))\"")
            )
        }
        self = known
    }

    /// Writes the text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

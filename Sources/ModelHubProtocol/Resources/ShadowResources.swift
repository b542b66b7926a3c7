/// The comparisons of two versions' answers that an app or a server reports to a hub, as sums.
package struct ShadowOutcome: Codable, Sendable, Hashable {
    /// The comparisons of answers with a label.
    package struct Label: Codable, Sendable, Hashable {
        package var label: String
        package var count: Int
        /// The number of answers that differ on the label.
        package var different: Int

        /// Creates sums.
        package init(label: String, count: Int, different: Int) {
            (self.label, self.count, self.different) = (label, count, different)
        }
    }

    /// The name of the model.
    package var model: String
    /// The SHA-256 of the file of the version that answered, and of the one that answered unseen.
    package var served, candidate: String
    /// The number of compared answers; 0 in a further part with more labels.
    package var count: Int
    /// The number of answers that differ.
    package var different: Int
    package var labels: [Label]

    /// Creates sums.
    package init(model: String, served: String, candidate: String, count: Int, different: Int, labels: [Label]) {
        (self.model, self.served, self.candidate) = (model, served, candidate)
        (self.count, self.different, self.labels) = (count, different, labels)
    }

    /// Limits of a hub.
    package enum Limits {
        /// The number of comparisons of versions in a batch.
        package static let shadows = 20
        /// The number of labels in a batch.
        package static let labels = 100
        /// The number of bytes of a label.
        package static let labelLength = 100
        /// The number of answers in a batch.
        package static let count = 1_000_000
    }
}

/// A share of answers that differ, with an interval that is valid however often it is looked at.
package struct DifferenceShare: Sendable, Hashable, Codable {
    /// The number of compared answers.
    package var count: Int
    /// The number of answers that differ.
    package var different: Int
    /// The share in percent; nil without answers.
    package var percent: Double?
    /// The always-valid interval of the share in percent, with a confidence of 95 %.
    package var lower, upper: Double

    /// Creates a share of answers, each of which counts as independent of the others.
    package init(count: Int, different: Int) {
        let count = max(count, 0)
        let different = min(max(different, 0), count)
        (self.count, self.different) = (count, different)
        percent = count > 0 ? 100 * Double(different) / Double(count) : nil
        let interval = ShareMixture(error: 0.05, concentration: 0.5).interval(different, count - different)
        // The bisection ends just before 0 and 1.
        lower = different > 0 ? 100 * interval.lowerBound : 0
        upper = different < count ? 100 * interval.upperBound : 100
    }

    /// Widens the interval.
    package mutating func widen(to other: ClosedRange<Double>) {
        (lower, upper) = (max(min(lower, other.lowerBound), 0), min(max(upper, other.upperBound), 100))
    }
}

/// The comparison of two versions of a model, in the hub's own API.
package struct ShadowResource: Codable, Sendable {
    /// The comparisons of answers with a label.
    package struct Label: Codable, Sendable {
        package var label: String
        package var share: DifferenceShare

        /// Creates a label.
        package init(label: String, share: DifferenceShare) { (self.label, self.share) = (label, share) }
    }

    /// The version that answered, and the one that answered unseen.
    package var servedVersion, candidateVersion: Int
    /// The number of apps and servers that reported.
    package var installations: Int
    package var share: DifferenceShare
    /// The times of the first and the last report, in RFC 3339.
    package var firstTime, lastTime: String
    /// The labels with the most answers, at most 1,000.
    package var labels: [Label]

    /// Creates a comparison.
    package init(
        versions: (served: Int, candidate: Int),
        installations: Int,
        share: DifferenceShare,
        times: (first: String, last: String),
        labels: [Label]
    ) {
        (servedVersion, candidateVersion) = versions
        (self.installations, self.share, self.labels) = (installations, share, labels)
        (firstTime, lastTime) = times
    }
}

/// The comparisons of a model's versions.
package struct ShadowList: Codable, Sendable {
    package var shadows: [ShadowResource]

    /// Creates a list.
    package init(shadows: [ShadowResource]) { self.shadows = shadows }
}

import ModelHubProtocol

/// The comparison of two versions' answers, which apps and servers reported.
package struct Shadow: Sendable, Hashable {
    /// The answers with a label.
    package struct Label: Sendable, Hashable {
        package var label: String
        package var count: Int
        package var different: Int
    }

    /// The version that answered.
    package var served: Int
    /// The version that answered unseen.
    package var candidate: Int
    /// The sums over installations: their answers, and those that differ.
    package var sums: DeviceSums
    package var firstTime: Timestamp
    package var lastTime: Timestamp
    /// The labels with the most answers.
    package var labels: [Label]

    /// The scale at which the interval between installations is tightest: a share of two in a hundred.
    private static let scale = 0.02

    /// The share of answers that differ. The interval counts answers as independent, and is wider if installations differ by more than that
    /// explains.
    package var share: DifferenceShare {
        var share = DifferenceShare(
            count: Int(exactly: sums.count.rounded()) ?? 0,
            different: Int(exactly: sums.sum.rounded()) ?? 0
        )
        if let mean = sums.mean, let variance = sums.varianceOfMean {
            let radius = NormalMixture(scale: Self.scale, error: 0.025).radius(variance: variance)
            let place = 100 * mean
            if radius.isFinite { share.widen(to: place - 100 * radius...place + 100 * radius) }
        }
        return share
    }
}

/// A report of comparisons whose versions the hub knows.
struct ShadowReport: Sendable, Hashable {
    var model: Int64
    var served, candidate: Int
    var outcome: ShadowOutcome
}

extension ShadowResource {
    /// The resource of a comparison.
    init(_ shadow: Shadow) {
        self.init(
            versions: (shadow.served, shadow.candidate),
            installations: shadow.sums.devices,
            share: shadow.share,
            times: ("\(shadow.firstTime)", "\(shadow.lastTime)"),
            labels: shadow.labels.map {
                Label(label: $0.label, share: DifferenceShare(count: $0.count, different: $0.different))
            }
        )
    }
}

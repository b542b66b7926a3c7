import Sightline

/// The share of drawn boxes for which the detector proposes a box, since things that are never proposed are never found.
public struct ProposalCoverage: Sendable, Hashable, Codable {
    /// A label with the number of its boxes.
    public struct Label: Sendable, Hashable, Codable {
        /// The label.
        public var name: String
        /// The number of drawn boxes.
        public var boxes: Int
        /// The number of drawn boxes that a proposal overlaps.
        public var covered: Int
    }

    /// The labels in the order of their names.
    public var labels: [Label]
    /// The number of proposals of a picture that count.
    public var proposals: Int

    /// The number of drawn boxes.
    public var boxCount: Int { labels.reduce(0) { $0 + $1.boxes } }
    /// The number of drawn boxes that a proposal overlaps (IoU ≥ .5).
    public var coveredCount: Int { labels.reduce(0) { $0 + $1.covered } }
    /// The share of drawn boxes that a proposal overlaps.
    public var share: Double { boxCount > 0 ? Double(coveredCount) / Double(boxCount) : 0 }

    /// Below this share, other detectors may be worth their trouble.
    private static let least = 0.85
    /// So few boxes show no share.
    private static let fewestBoxes = 5

    /// Counts drawn boxes.
    ///
    /// - Parameter maximum: The largest number of proposals of a picture that count.
    init(_ scenes: [ReadScene], labels names: [String], atMost maximum: Int) {
        var labels = names.dropFirst().map { Label(name: $0, boxes: 0, covered: 0) }
        for scene in scenes {
            for box in scene.drawn {
                labels[box.label - 1].boxes += 1
                let isCovered = scene.proposals.prefix(maximum).contains { $0.frame.iou(box.frame) >= 0.5 }
                if isCovered { labels[box.label - 1].covered += 1 }
            }
        }
        (self.labels, proposals) = (labels, maximum)
    }

    /// The smallest number of proposals with hardly less coverage than all of them have: each one that is named costs time.
    static func enough(for scenes: [ReadScene], labels: [String], atMost maximum: Int) -> ProposalCoverage {
        let all = ProposalCoverage(scenes, labels: labels, atMost: maximum)
        for count in [8, 12, 20] where count < maximum {
            let some = ProposalCoverage(scenes, labels: labels, atMost: count)
            if some.share >= all.share - 0.015 { return some }
        }
        return all
    }

    /// The share as a sentence.
    package var sentence: String {
        "The built-in detector proposes a box for \(ReportSentences.percent(share)) of \(boxCount) drawn boxes; what it does not propose is "
            + "never found."
    }

    /// Sentences about labels that are rarely proposed.
    var warnings: [String] {
        let rare = labels.filter { $0.boxes >= Self.fewestBoxes && Double($0.covered) < Self.least * Double($0.boxes) }
        if share < Self.least {
            let worst = rare.sorted { ($0.covered * $1.boxes, $0.name) < ($1.covered * $0.boxes, $1.name) }.prefix(5)
                .map { "\($0.name) \($0.covered) of \($0.boxes)" }
            return [
                "Only \(ReportSentences.percent(share)) of the drawn boxes are proposed"
                    + (worst.isEmpty ? "" : " (\(worst.joined(separator: ", ")))")
                    + ". Things that are small, crowded or unlike everyday objects need photos from a shorter distance."
            ]
        }
        guard !rare.isEmpty else { return [] }
        let listed = rare.prefix(5).map { "\($0.name) \($0.covered) of \($0.boxes)" }.joined(separator: ", ")
        return ["Of some labels, the detector proposes few boxes: \(listed). They are found that much less often."]
    }
}

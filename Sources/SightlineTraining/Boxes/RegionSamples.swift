import Foundation
import Sightline

/// The boxes from which a layer learns: drawn boxes, proposals that agree with one, and proposals that agree with none, which show
/// nothing.
struct RegionSamples: Sendable {
    private(set) var features: [Data] = []
    private(set) var labels: [[Int]] = []
    /// The scene of each row.
    private(set) var scenes: [Int] = []

    /// A proposal that overlaps a drawn box by more than this IoU has its label.
    static let agreement = 0.6
    /// A proposal that overlaps every drawn box by less than this IoU shows nothing.
    static let disagreement = 0.35
    /// The largest number of rows that are learned from; of more, an even part.
    static let mostRows = 40_000

    /// - Parameter proposalLimit: The largest number of proposals of a picture, the most confident of them.
    init(_ scenes: [ReadScene], proposalLimit: Int) {
        for (number, scene) in scenes.enumerated() {
            for box in scene.drawn { add(box.features, box.label, number) }
            for proposal in scene.proposals.prefix(proposalLimit) where !proposal.features.isEmpty {
                guard let label = Self.label(of: proposal.frame, in: scene) else { continue }
                add(proposal.features, label, number)
            }
        }
        let count = features.count
        guard count > Self.mostRows else { return }
        let kept = (0..<Self.mostRows).map { $0 * count / Self.mostRows }
        features = kept.map { features[$0] }
        labels = kept.map { labels[$0] }
        self.scenes = kept.map { self.scenes[$0] }
    }

    private mutating func add(_ data: Data, _ label: Int, _ scene: Int) {
        features.append(data)
        labels.append([label])
        scenes.append(scene)
    }

    /// The label of a proposal; nil if that is not clear.
    private static func label(of frame: PixelRect, in scene: ReadScene) -> Int? {
        var (best, most) = (0, 0.0)
        for box in scene.drawn {
            let overlap = frame.iou(box.frame)
            if overlap > most { (best, most) = (box.label, overlap) }
        }
        if most > agreement { return best }
        guard most < disagreement, !scene.crowds.contains(where: { $0.intersection(frame) != nil }) else { return nil }
        return 0
    }
}

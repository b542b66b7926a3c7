import Foundation
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// The proposals of pictures with the likely labels of each, by a layer that did not learn from these pictures.
struct NamedProposals: Sendable {
    private struct Named: Sendable {
        let picture: Int
        let frame: PixelRect
        let confidence: Float
        let label: Int
        let probability: Float
    }

    private var named: [Named] = []

    /// Boxes of one label that overlap by more than this IoU are one object.
    static let suppression = 0.5
    /// Labels with a smaller probability would not change any visible digit.
    private static let least: Float = 0.001
    private static let mostLabels = 20

    /// Names the proposals of a picture.
    mutating func add(
        _ scene: ReadScene,
        at picture: Int,
        by layer: ClassifierLayer,
        _ fitting: LayerFitting,
        atMost maximum: Int
    ) {
        let proposals = scene.proposals.prefix(maximum)
        guard !proposals.isEmpty else { return }
        let matrix = FeatureMatrix(proposals.map(\.features), of: fitting.trunk, like: fitting.matrix)
        let probabilities = fitting.probabilities(layer, of: Array(0..<matrix.rowCount), in: matrix)
        add(proposals.map(\.frame), proposals.map(\.confidence), probabilities, at: picture)
    }

    /// Adds the boxes of a picture with the probabilities of their labels.
    mutating func add(_ frames: [PixelRect], _ confidences: [Float], _ probabilities: [[Float]], at picture: Int) {
        for (place, found) in probabilities.enumerated() {
            // The first label is that of nothing.
            let labels = found.indices.dropFirst().filter { found[$0] >= Self.least }
            for label in labels.sorted(by: { found[$0] > found[$1] }).prefix(Self.mostLabels) {
                named.append(
                    Named(
                        picture: picture,
                        frame: frames[place],
                        confidence: confidences[place],
                        label: label,
                        probability: found[label]
                    )
                )
            }
        }
    }

    mutating func add(_ other: NamedProposals) { named += other.named }

    /// The boxes that a detector with a product of confidences reports, independent of its threshold. The categories are the labels without
    /// that of nothing.
    ///
    /// - Parameters:
    ///   - mostOfPicture: At most so many boxes of a picture, the most confident ones.
    ///   - acrossLabels: Whether boxes of different labels that overlap are one object, too.
    func detections(
        _ description: ModelSidecar.Proposals,
        mostOfPicture: Int = .max,
        acrossLabels: Bool = false
    ) -> BoxDetections {
        struct Group: Hashable {
            let picture: Int
            let label: Int
        }
        var groups: [Group: [(score: Float, frame: PixelRect, label: Int)]] = [:]
        for box in named {
            let score = box.probability * description.power(of: box.confidence)
            let group = Group(picture: box.picture, label: acrossLabels ? 0 : box.label)
            groups[group, default: []].append((score, box.frame, box.label))
        }
        var boxes: [BoxDetections.Box] = []
        for (group, found) in groups.sorted(by: { ($0.key.picture, $0.key.label) < ($1.key.picture, $1.key.label) }) {
            var kept: [PixelRect] = []
            let order = found.indices.sorted { (-found[$0].score, $0) < (-found[$1].score, $1) }
            for index in order where !kept.contains(where: { $0.iou(found[index].frame) > Self.suppression }) {
                kept.append(found[index].frame)
                boxes.append(
                    BoxDetections.Box(
                        picture: group.picture,
                        category: found[index].label - 1,
                        frame: found[index].frame,
                        score: Double(found[index].score)
                    )
                )
            }
        }
        guard mostOfPicture < .max else { return BoxDetections(name: "", boxes: boxes) }
        let ofPictures = Dictionary(grouping: boxes.indices) { boxes[$0].picture }
        let kept = ofPictures.values.flatMap { own in
            own.sorted { (-boxes[$0].score, $0) < (-boxes[$1].score, $1) }.prefix(mostOfPicture)
        }
        return BoxDetections(name: "", boxes: kept.sorted().map { boxes[$0] })
    }
}

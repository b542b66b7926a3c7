import Foundation
import TensorFlowLite

/// A raw SSD head: box offsets `[1, anchors, 4]` and class scores `[1, anchors, classes]`.
///
/// An offset (ty, tx, th, tw) moves and stretches its anchor (y, x, h, w): the box has its center at
/// (ty / s · h + y, tx / s · w + x) and the size (e^(th / t) · h, e^(tw / t) · w), with s and t the center and size
/// scales (W. Liu et al., "SSD: Single Shot MultiBox Detector", 2016, equation 2).
struct SSDAnchorHead: DetectorHead {
    private let offsets: OutputTensor
    private let scores: OutputTensor
    private let anchors: [SSDAnchors.Box]
    private let coding: SSDAnchors
    private let columns: Int
    private let model: String
    let assumptions: [String]

    let defaultScoreThreshold: Float = 0.5
    let defaultIoUThreshold: Float? = 0.6
    let summary = "SSD with raw boxes and scores"
    var classCount: Int? { columns - (coding.hasBackground ? 1 : 0) }

    static let names = [ModelSidecar.Head.ssdAnchors]

    static func find(in files: ModelFiles) throws(LocalModelError) -> SSDAnchorHead? { try SSDAnchorHead(files) }

    private init?(_ files: ModelFiles) throws(LocalModelError) {
        let outputs = files.model.outputs.map(\.shape.dimensions)
        guard outputs.count == 2, outputs.allSatisfy({ $0.count == 3 && $0[0] == 1 }), outputs[0][1] == outputs[1][1],
            let boxes = outputs.firstIndex(where: { $0[2] == 4 })
        else { return nil }
        offsets = try OutputTensor(boxes, of: files)
        scores = try OutputTensor(1 - boxes, of: files)
        coding = files.sidecar.anchors ?? SSDAnchors()
        columns = outputs[1 - boxes][2]
        model = files.name
        assumptions =
            files.sidecar.anchors == nil
            ? ["The model does not hold its anchors; those of SSD MobileNet at 300 × 300 pixels are assumed."] : []
        guard coding.problem == nil, coding.count == outputs[boxes][1], columns > (coding.hasBackground ? 1 : 0) else {
            throw .output(
                model: files.name,
                reason: """
                    it gives \(outputs[boxes][1]) raw boxes of \(columns) classes, but its anchors are \(coding.count); \
                    describe them under "anchors" in the sidecar file
                    """
            )
        }
        anchors = coding.layout()
    }

    func candidates(
        of interpreter: Interpreter,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        // First the anchors with enough confidence, then the boxes to which their offsets move them.
        var numbers: [Int] = []
        var found: [Candidate] = []
        try values.with(scores, of: interpreter) { scores in
            for number in 0..<min(anchors.count, scores.count / columns) {
                let row = UnsafeBufferPointer(rebasing: scores[number * columns..<(number + 1) * columns])
                let (classIndex, score) = try best(in: row)
                guard score >= minimumScore else { continue }
                numbers.append(number)
                found.append(Candidate(left: 0, top: 0, right: 0, bottom: 0, score: score, classIndex: classIndex))
            }
        }
        try values.with(offsets, of: interpreter) { offsets in
            for (index, number) in numbers.enumerated() where number * 4 + 3 < offsets.count {
                let anchor = anchors[number]
                let y = offsets[number * 4] / coding.centerScale * anchor.height + anchor.y
                let x = offsets[number * 4 + 1] / coding.centerScale * anchor.width + anchor.x
                let height = exp(offsets[number * 4 + 2] / coding.sizeScale) * anchor.height
                let width = exp(offsets[number * 4 + 3] / coding.sizeScale) * anchor.width
                found[index].left = x - width / 2
                found[index].right = x + width / 2
                found[index].top = y - height / 2
                found[index].bottom = y + height / 2
                guard found[index].isFinite else {
                    throw OutputError.notFinite(model: model, tensor: self.offsets.name)
                }
            }
        }
        return found
    }

    /// The best class of one anchor, not counting the background, and its confidence.
    private func best(in row: UnsafeBufferPointer<Float>) throws -> (classIndex: Int, score: Float) {
        let first = coding.hasBackground ? 1 : 0
        var winner = first
        for column in first..<row.count {
            guard row[column].isFinite else { throw OutputError.notFinite(model: model, tensor: scores.name) }
            if row[column] > row[winner] { winner = column }
        }
        let value = row[winner]
        let score: Float =
            switch coding.activation {
            case .none: value
            case .sigmoid: 1 / (1 + exp(-value))
            case .softmax: 1 / row.reduce(0) { $0 + exp($1 - value) }
            }
        return (winner - first, score)
    }
}

extension ModelSidecar.Head {
    /// Box offsets `[1, anchors, 4]` and class scores `[1, anchors, classes]`, to be decoded with anchors.
    public static let ssdAnchors = Self(rawValue: "ssd-anchors")
}

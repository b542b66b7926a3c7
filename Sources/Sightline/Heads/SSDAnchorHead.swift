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
    private let coding: SSDCoding
    private let columns: Int
    private let model: String
    let assumptions: [String]

    let defaultScoreThreshold: Float
    let defaultIoUThreshold: Float?
    let classNames: [String]?
    let summary: String
    var classCount: Int? { columns - (coding.hasBackground ? 1 : 0) }

    static let names = [ModelSidecar.Head.ssdAnchors]

    static func find(in files: ModelFiles) throws(LocalModelError) -> SSDAnchorHead? { try SSDAnchorHead(files) }

    private init?(_ files: ModelFiles) throws(LocalModelError) {
        let outputs = files.outputShapes
        guard outputs.count == 2, outputs.allSatisfy({ $0.count == 3 && $0[0] == 1 }), outputs[0][1] == outputs[1][1]
        else { return nil }
        let titles = files.model.metadata?.outputs.map(\.name) ?? []
        guard let boxes = titles.firstIndex(of: "location") ?? outputs.firstIndex(where: { $0[2] == 4 }),
            outputs.indices.contains(boxes), outputs[boxes][2] == 4
        else { return nil }
        offsets = try OutputTensor(boxes, of: files)
        scores = try OutputTensor(1 - boxes, of: files)
        columns = outputs[1 - boxes][2]
        model = files.name
        let inputSize = try ImageInput(files, floatRange: .plusMinusOne).format.size
        // Some files leave the number of rows open, although it follows from the size of the input.
        let boxCount = files.model.outputs[boxes].shape.dimensions[1] < 0 ? nil : outputs[boxes][1]
        var published = SSDAnchors.Published.mobileNet
        let anchorCount: Int
        if let description = files.sidecar.anchors {
            coding = SSDCoding(description)
            (anchorCount, assumptions, summary) = (description.count(in: inputSize), [], published.summary)
            let isUsable = description.problem == nil && anchorCount == boxCount ?? min(anchorCount, Self.mostAnchors)
            anchors = isUsable ? description.layout(in: inputSize) : []
        } else if let description = files.model.metadata?.detector {
            coding = SSDCoding(description, hasBackground: files.labels?.list.startsWithBackground ?? false)
            (anchorCount, assumptions) = (description.anchors.count, [])
            summary = "SSD with raw boxes and scores, with the anchors of MediaPipe's metadata"
            anchors = description.anchors.map {
                SSDAnchors.Box(y: $0.centerY, x: $0.centerX, height: $0.height, width: $0.width)
            }
        } else {
            // A face detector with a fixed number of rows may decode its boxes itself, in the same shape.
            let isFaceDetector =
                boxCount == nil && inputSize == SSDAnchors.Published.ultraLightFace.inputSize
                && columns == SSDAnchors.Published.ultraLightFace.columnCount
            if isFaceDetector { published = .ultraLightFace }
            anchorCount = published.anchors.count(in: inputSize)
            // Other numbers of boxes may belong to a model that decodes its boxes itself.
            guard anchorCount == boxCount || isFaceDetector || files.sidecar.head == .ssdAnchors else { return nil }
            coding = SSDCoding(published.anchors)
            anchors = published.anchors.layout(in: inputSize)
            assumptions = ["The model does not hold its anchors; those of \(published.name) are assumed."]
            summary = published.summary
        }
        (classNames, defaultScoreThreshold) = (published.classNames, published.scoreThreshold)
        defaultIoUThreshold = published.iouThreshold
        guard !anchors.isEmpty, anchors.count == boxCount ?? anchors.count, columns > (coding.hasBackground ? 1 : 0)
        else {
            throw .output(
                model: files.name,
                reason: """
                    it gives \(boxCount.map { "\($0)" } ?? "an open number of") raw boxes of \(columns) classes, but its anchors are \(anchorCount); \
                    describe them under "anchors" in the sidecar file
                    """
            )
        }
    }

    /// The largest number of anchors of a model that leaves the number of its boxes open.
    private static let mostAnchors = 1_000_000

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        // First the anchors with enough confidence, then the boxes to which their offsets move them.
        var numbers: [Int] = []
        var found: [Candidate] = []
        try values.with(scores, of: interpreter) { scores in
            guard scores.count == anchors.count * columns else {
                throw OutputError.otherCount(
                    model: model,
                    tensor: self.scores.name,
                    expected: anchors.count * columns,
                    found: scores.count
                )
            }
            for number in anchors.indices {
                let row = UnsafeBufferPointer(rebasing: scores[number * columns..<(number + 1) * columns])
                let (classIndex, score) = try best(in: row)
                guard score >= minimumScore else { continue }
                numbers.append(number)
                found.append(Candidate(left: 0, top: 0, right: 0, bottom: 0, score: score, classIndex: classIndex))
            }
        }
        try values.with(offsets, of: interpreter) { offsets in
            for (index, number) in numbers.enumerated() where number * 4 + 3 < offsets.count {
                let box = coding.box(offsets, at: number * 4, of: anchors[number])
                (found[index].left, found[index].top) = (box.left, box.top)
                (found[index].right, found[index].bottom) = (box.right, box.bottom)
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

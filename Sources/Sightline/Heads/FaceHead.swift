import Foundation
import TensorFlowLite

/// MediaPipe's face detectors, BlazeFace: for each anchor a box with six key points `[1, anchors, 16]`, and a score `[1, anchors, 1]`.
///
/// The anchors are not in the file. They follow the rule that MediaPipe publishes with these models (`SsdAnchorsCalculator`, with the options of
/// `face_detection_short_range`, `face_detection` for the back camera, and `face_detection_full_range`): each layer has a grid of cells with one
/// anchor, and another of an interpolated scale unless that is off; layers with the same stride share their grid. All anchors have
/// the size of the input, so that only their centers matter. A row has x and y of the box's center relative to the anchor, width
/// and height, then x and y of six points relative to the anchor, all in pixels of the input. Scores are logits
/// (`TensorsToDetectionsCalculator`). Overlapping boxes are averaged (`NonMaxSuppressionCalculator`, with the algorithm WEIGHTED).
///
/// Only the three published combinations of input size and number of anchors are recognized. Their palm and pose detectors have rows
/// of other lengths.
struct FaceHead: DetectorHead {
    private let boxes: OutputTensor
    private let scores: OutputTensor
    private let form: Form
    private let model: String

    static let names = [ModelSidecar.Head.face]

    let classCount: Int? = 1
    let classNames: [String]? = ["face"]
    /// MediaPipe pads pictures with black.
    let fit = ImageFit.letterbox(fill: 0, anchor: .center)
    let defaultScoreThreshold: Float = 0.5
    let defaultIoUThreshold: Float? = 0.3
    let summary = "MediaPipe's face detector"
    let averagesOverlaps = true
    let pointNames: [ObjectPoint.Name]? = points

    /// The points in the order of a row, behind the box.
    private static let points: [ObjectPoint.Name] = [
        .rightEye, .leftEye, .noseTip, .mouthCenter, .rightEarTragion, .leftEarTragion,
    ]
    /// The numbers of a row: a box and six points.
    private static let columns = 4 + 2 * points.count

    /// The layers of a model.
    private struct Form: Sendable {
        /// Width and height of the input in pixels.
        let inputSize: Int
        /// The stride of each layer in pixels.
        let strides: [Int]
        /// Whether each layer has a second anchor in each cell, of an interpolated scale.
        let isInterpolated: Bool

        static let published = [
            Form(inputSize: 128, strides: [8, 16, 16, 16], isInterpolated: true),
            Form(inputSize: 256, strides: [16, 32, 32, 32], isInterpolated: true),
            Form(inputSize: 192, strides: [4], isInterpolated: false),
        ]

        /// The grids of the layers, in the order of the outputs: cells along a side, and anchors in each cell.
        var grids: [(side: Int, anchors: Int)] {
            var grids: [(stride: Int, anchors: Int)] = []
            for stride in strides {
                if grids.last?.stride != stride { grids.append((stride, 0)) }
                grids[grids.count - 1].anchors += isInterpolated ? 2 : 1
            }
            return grids.map { (inputSize / $0.stride, $0.anchors) }
        }

        var anchorCount: Int { grids.reduce(0) { $0 + $1.side * $1.side * $1.anchors } }

        /// The center of an anchor, in fractions of the input.
        func center(_ number: Int) -> (x: Float, y: Float) {
            var rest = number
            for (side, anchors) in grids {
                let count = side * side * anchors
                guard rest >= count else {
                    let cell = rest / anchors
                    return ((Float(cell % side) + 0.5) / Float(side), (Float(cell / side) + 0.5) / Float(side))
                }
                rest -= count
            }
            return (0.5, 0.5)
        }
    }

    static func find(in files: ModelFiles) throws(LocalModelError) -> FaceHead? { try FaceHead(files) }

    private init?(_ files: ModelFiles) throws(LocalModelError) {
        let shapes = files.outputShapes
        guard shapes.count == 2, let boxes = shapes.firstIndex(where: { $0.last == Self.columns }),
            files.model.inputs.count == 1, let input = files.model.inputs.first?.shape.dimensions,
            let form = Form.published.first(where: { form in
                input == [1, form.inputSize, form.inputSize, 3]
                    && shapes[boxes] == [1, form.anchorCount, Self.columns]
                    && shapes[1 - boxes] == [1, form.anchorCount, 1]
            })
        else { return nil }
        self.boxes = try OutputTensor(boxes, of: files)
        scores = try OutputTensor(1 - boxes, of: files)
        (self.form, model) = (form, files.name)
    }

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        var found: [(number: Int, score: Float)] = []
        try values.with(scores, of: interpreter) { scores in
            for (number, logit) in scores.prefix(form.anchorCount).enumerated() {
                guard logit.isFinite else { throw OutputError.notFinite(model: model, tensor: self.scores.name) }
                let score = 1 / (1 + exp(-logit))
                if score >= minimumScore { found.append((number, score)) }
            }
        }
        return try values.with(boxes, of: interpreter) { boxes in
            try found.compactMap { number, score in
                let row = number * Self.columns
                guard row + Self.columns <= boxes.count else { return nil }
                let size = Float(form.inputSize)
                let center = form.center(number)
                let (x, y) = (boxes[row] / size + center.x, boxes[row + 1] / size + center.y)
                let (width, height) = (boxes[row + 2] / size, boxes[row + 3] / size)
                let points = Self.points.enumerated().map { index, name in
                    let place = row + 4 + 2 * index
                    return CandidatePoint(
                        name: name,
                        x: boxes[place] / size + center.x,
                        y: boxes[place + 1] / size + center.y
                    )
                }
                let candidate = Candidate(
                    left: x - width / 2,
                    top: y - height / 2,
                    right: x + width / 2,
                    bottom: y + height / 2,
                    score: score,
                    classIndex: 0,
                    points: points
                )
                guard candidate.isFinite, points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
                    throw OutputError.notFinite(model: model, tensor: self.boxes.name)
                }
                return candidate
            }
        }
    }
}

extension ModelSidecar.Head {
    /// Boxes with six key points for each of MediaPipe's anchors, and their scores.
    public static let face = Self(rawValue: "face")
}

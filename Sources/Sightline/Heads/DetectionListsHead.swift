import TensorFlowLite

/// Lists without a batch, as long as there are objects: boxes `[n, 4]`, classes `[n]` and scores `[n]`. These are the outputs of torchvision's
/// detectors in ONNX: SSD, SSDlite, RetinaNet, FCOS and Faster R-CNN.
///
/// Such a network takes values of 0…1, and resizes, normalizes and suppresses itself. Boxes are left, top, right and bottom in pixels
/// of its input, and class 0 is the background, which it never reports. Source: torchvision's `GeneralizedRCNNTransform`.
struct DetectionListsHead: DetectorHead {
    private let boxes: OutputTensor
    private let scores: OutputTensor
    private let classes: OutputTensor
    private let inputSize: PixelSize
    private let model: String

    let classCount: Int? = nil
    let defaultScoreThreshold: Float = 0.3
    let defaultIoUThreshold: Float? = nil
    let fit = ImageFit.stretch
    let floatRange = ImageInput.FloatRange.zeroToOne
    let summary = "lists of boxes, classes and scores"

    static let names = [ModelSidecar.Head.lists]

    /// More objects than any network lists.
    private static let maximumCount = 100_000

    static func find(in files: ModelFiles) throws -> DetectionListsHead? {
        let (outputs, shapes) = (files.model.outputs, files.outputShapes)
        guard outputs.count == 3, let boxes = shapes.firstIndex(where: { $0.count == 2 && $0[1] == 4 }) else {
            return nil
        }
        let lists = shapes.indices.filter { shapes[$0].count == 1 }
        let isReal = lists.map { [.float32, .float16].contains(outputs[$0].dataType) }
        guard lists.count == 2, let scores = isReal.firstIndex(of: true), isReal[1 - scores] == false else {
            return nil
        }
        return try DetectionListsHead(files, boxes, scores: lists[scores], classes: lists[1 - scores])
    }

    private init(_ files: ModelFiles, _ boxes: Int, scores: Int, classes: Int) throws(LocalModelError) {
        self.boxes = try OutputTensor(boxes, of: files)
        self.scores = try OutputTensor(scores, of: files)
        self.classes = try OutputTensor(classes, of: files)
        inputSize = try ImageInput(files, floatRange: .zeroToOne).format.size
        model = files.name
    }

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        let scores = try numbers(scores, of: interpreter, &values)
        let classes = try numbers(classes, of: interpreter, &values)
        let edges = try numbers(boxes, of: interpreter, &values)
        guard classes.count == scores.count, edges.count == 4 * scores.count, scores.count <= Self.maximumCount else {
            throw LocalModelError.output(
                model: model,
                reason: "it lists \(scores.count) scores, \(classes.count) classes and \(edges.count / 4) boxes"
            )
        }
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        return scores.indices.filter { scores[$0] >= minimumScore }.map { row in
            Candidate(
                left: edges[4 * row] / width,
                top: edges[4 * row + 1] / height,
                right: edges[4 * row + 2] / width,
                bottom: edges[4 * row + 3] / height,
                score: min(scores[row], 1),
                classIndex: Int(min(max(classes[row].rounded(), 0), 1e6))
            )
        }
    }

    private func numbers(
        _ tensor: OutputTensor,
        of interpreter: any InferenceSession,
        _ values: inout OutputValues
    ) throws -> [Float] {
        try values.with(tensor, of: interpreter) { numbers in
            guard numbers.allSatisfy(\.isFinite) else { throw OutputError.notFinite(model: model, tensor: tensor.name) }
            return Array(numbers)
        }
    }
}

extension ModelSidecar.Head {
    /// Lists of boxes `[n, 4]`, classes `[n]` and scores `[n]`, as torchvision's detectors give them.
    public static let lists = Self(rawValue: "lists")
}

import TensorFlowLite

/// MoveNet: y, x and confidence of 17 points of a body, `[1, 1, 17, 3]`, or of up to six bodies, `[1, 6, 56]`, each with the edges of its box
/// (top, left, bottom, right) and its confidence behind the points. All are fractions of the input.
///
/// The model for one body gives no box and no confidence of the body. The object's box bounds its confident points
/// (``ObjectPoint/isConfident``), of which there are two at least, so that it is tighter than a drawn box: hair, hands and feet
/// reach beyond. The object's confidence is the mean of all its points'. The source is the description of MoveNet by
/// TensorFlow ("MoveNet.SinglePose Model Card", "MoveNet.MultiPose Model Card"), whose pictures are padded with black.
struct PoseHead: DetectorHead {
    private let output: OutputTensor
    /// The number of bodies for which the model has rows; nil for a model of one body, without a box.
    private let rowCount: Int?
    private let model: String

    static let names = [ModelSidecar.Head.movenet]

    let classCount: Int? = 1
    let classNames: [String]? = ["person"]
    let fit = ImageFit.letterbox(fill: 0, anchor: .center)
    let floatRange = ImageInput.FloatRange.pixelValues
    let defaultScoreThreshold: Float = 0.25
    let defaultIoUThreshold: Float? = nil
    let pointNames: [ObjectPoint.Name]? = points
    var summary: String { rowCount == nil ? "MoveNet (one body)" : "MoveNet (several bodies)" }

    private static let points = ObjectPoint.Name.body
    /// The numbers of the points of a body.
    private static let pointNumbers = 3 * points.count
    /// The numbers of a body with its box and its confidence.
    private static let columns = pointNumbers + 5

    static func find(in files: ModelFiles) throws(LocalModelError) -> PoseHead? { try PoseHead(files) }

    private init?(_ files: ModelFiles) throws(LocalModelError) {
        guard files.model.outputs.count == 1, let shape = files.outputShapes.first else { return nil }
        let isOne = shape == [1, 1, Self.points.count, 3]
        guard isOne || shape.count == 3 && shape[0] == 1 && shape[2] == Self.columns && isFew(shape[1]) else {
            return nil
        }
        func isFew(_ count: Int) -> Bool { count == 6 || files.sidecar.head == .movenet && (1...100).contains(count) }
        output = try OutputTensor(0, of: files)
        rowCount = isOne ? nil : shape[1]
        model = files.name
    }

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        try values.with(output, of: interpreter) { values in
            let length = rowCount == nil ? Self.pointNumbers : Self.columns
            guard values.count == length * (rowCount ?? 1) else { return [] }
            guard values.allSatisfy(\.isFinite) else { throw OutputError.notFinite(model: model, tensor: output.name) }
            return stride(from: 0, to: values.count, by: length).compactMap { start in
                let numbers = UnsafeBufferPointer(rebasing: values[start..<start + length])
                let points = Self.points.indices.map { index in
                    CandidatePoint(
                        name: Self.points[index],
                        x: numbers[3 * index + 1],
                        y: numbers[3 * index],
                        confidence: min(max(numbers[3 * index + 2], 0), 1)
                    )
                }
                let body = rowCount == nil ? Self.body(of: points) : Self.body(of: points, numbers)
                return body.flatMap { $0.score >= minimumScore && $0.area > 0 ? $0 : nil }
            }
        }
    }

    /// A body whose box bounds its confident points; nil with fewer than two.
    private static func body(of points: [CandidatePoint]) -> Candidate? {
        let seen = points.filter { ($0.confidence ?? 1) >= ObjectPoint.usualThreshold }
        guard seen.count >= 2 else { return nil }
        let (columns, rows) = (seen.map(\.x), seen.map(\.y))
        return Candidate(
            left: columns.min() ?? 0,
            top: rows.min() ?? 0,
            right: columns.max() ?? 0,
            bottom: rows.max() ?? 0,
            score: points.reduce(0) { $0 + ($1.confidence ?? 0) } / Float(points.count),
            classIndex: 0,
            points: points
        )
    }

    /// A body with the box and the confidence of its row.
    private static func body(of points: [CandidatePoint], _ numbers: UnsafeBufferPointer<Float>) -> Candidate {
        Candidate(
            left: numbers[pointNumbers + 1],
            top: numbers[pointNumbers],
            right: numbers[pointNumbers + 3],
            bottom: numbers[pointNumbers + 2],
            score: min(numbers[pointNumbers + 4], 1),
            classIndex: 0,
            points: points
        )
    }
}

extension ModelSidecar.Head {
    /// `[1, 1, 17, 3]`, or `[1, bodies, 56]`: y, x and confidence of the 17 points of bodies.
    public static let movenet = Self(rawValue: "movenet")
}

import Foundation
import TensorFlowLite

/// The single output of the YOLO family: one row a box (or, in newer versions, one column), with the box's centre and
/// size, in older versions an objectness, and a score for each class.
struct YOLOHead: DetectorHead {
    /// The versions that are told apart.
    enum Version: Sendable, Hashable {
        /// `[1, boxes, 5 + classes]`, boxes decoded. Ultralytics YOLOv5 and what followed its export.
        case v5
        /// Boxes and class scores without objectness, `isTransposed` if `[1, 4 + classes, boxes]`. YOLOv8, YOLO11.
        case v8(isTransposed: Bool)
        /// `[1, cells, 5 + classes]` over grids of strides 8, 16, 32. Z. Ge et al., "YOLOX", 2021.
        case yolox
    }

    /// What the numbers of a box mean.
    enum BoxUnit: Sendable, Hashable {
        /// Fractions of the input.
        case fractions
        /// Pixels of the input.
        case pixels
        /// Offsets from grid cells in strides; sizes as logarithms of strides.
        case gridOffsets
    }

    let version: Version
    private let output: OutputTensor
    private let inputSize: PixelSize
    private let unit: BoxUnit
    private let boxCount: Int
    private let columns: Int
    private let boxStep: Int
    private let columnStep: Int
    private let grid: [(x: Float, y: Float, stride: Float)]
    private let model: String
    let assumptions: [String]

    let defaultScoreThreshold: Float = 0.3
    let defaultIoUThreshold: Float? = 0.5

    var classCount: Int? { columns - (hasObjectness ? 5 : 4) }
    var floatRange: ImageInput.FloatRange { version == .yolox ? .pixelValues : .zeroToOne }
    var channels: InputFormat.Channels { version == .yolox ? .bgr : .rgb }
    var fit: ImageFit { .letterbox(fill: 114, anchor: version == .yolox ? .topLeft : .center) }
    var summary: String {
        switch version {
        case .v5: "YOLOv5 (boxes with objectness)"
        case .v8: "YOLOv8/YOLO11 (boxes without objectness)"
        case .yolox: "YOLOX (\(unit == .gridOffsets ? "raw grid offsets" : "decoded boxes"))"
        }
    }

    private var hasObjectness: Bool {
        if case .v8 = version { false } else { true }
    }

    /// Finds the output; nil if it is none of this kind.
    ///
    /// - Parameter probe: runs the model on a grey picture and gives the output's values, to see what its boxes mean.
    static func find(
        in files: ModelFiles,
        inputSize: PixelSize,
        probe: (YOLOHead) throws -> [Float]?
    ) throws -> YOLOHead? {
        guard files.model.outputs.count == 1, let shape = files.model.outputs.first?.shape.dimensions, shape.count == 3,
            shape[0] == 1, min(shape[1], shape[2]) >= 5
        else { return nil }
        guard let version = Self.version(shape: shape, inputSize: inputSize, said: files.sidecar.head) else {
            return nil
        }
        let draft = try YOLOHead(files, version: version, unit: .pixels, inputSize: inputSize, assumptions: [])
        let (unit, assumptions) = try Self.unit(of: draft, files: files, probe: probe)
        return try YOLOHead(files, version: version, unit: unit, inputSize: inputSize, assumptions: assumptions)
    }

    private init(
        _ files: ModelFiles,
        version: Version,
        unit: BoxUnit,
        inputSize: PixelSize,
        assumptions: [String]
    ) throws(LocalModelError) {
        output = try OutputTensor(0, of: files)
        self.version = version
        self.unit = unit
        self.inputSize = inputSize
        self.assumptions = assumptions
        model = files.name
        let isTransposed = version == .v8(isTransposed: true)
        boxCount = output.shape[isTransposed ? 2 : 1]
        columns = output.shape[isTransposed ? 1 : 2]
        (boxStep, columnStep) = isTransposed ? (1, boxCount) : (columns, 1)
        grid = version == .yolox ? Self.grid(inputSize) : []
        if version == .yolox, grid.count != boxCount {
            throw .output(
                model: files.name,
                reason:
                    "a YOLOX of \(inputSize.width) × \(inputSize.height) has \(grid.count) cells, this gives \(boxCount)"
            )
        }
        guard columns > (version == .v8(isTransposed: isTransposed) ? 4 : 5) else {
            throw .output(model: files.name, reason: "\(output.shape) leaves no room for classes")
        }
    }

    // MARK: - Which version, which unit

    private static func version(shape: [Int], inputSize: PixelSize, said: ModelSidecar.Head?) -> Version? {
        let cells = grid(inputSize).count
        let isTransposed = shape[1] < shape[2]
        switch said {
        case .yolov5: return .v5
        case .yolov8: return .v8(isTransposed: isTransposed)
        case .yolox: return .yolox
        case .ssdAnchors, .ssdPostProcess: return nil
        case nil:
            if isTransposed { return .v8(isTransposed: true) }
            if shape[1] == cells { return .yolox }
            // Three anchors a cell; other counts come from versions 5 with other strides.
            return .v5
        }
    }

    private static func grid(_ size: PixelSize) -> [(x: Float, y: Float, stride: Float)] {
        [8, 16, 32].flatMap { stride in
            (0..<size.height / stride).flatMap { row in
                (0..<size.width / stride).map { (Float($0), Float(row), Float(stride)) }
            }
        }
    }

    /// What the boxes' numbers mean: what the sidecar says, otherwise what the model gives for a grey picture.
    private static func unit(
        of draft: YOLOHead,
        files: ModelFiles,
        probe: (YOLOHead) throws -> [Float]?
    ) throws -> (BoxUnit, [String]) {
        if draft.version == .yolox, let decoded = files.sidecar.decoded {
            return (decoded ? .pixels : .gridOffsets, [])
        }
        if draft.version != .yolox, let normalized = files.sidecar.normalizedBoxes {
            return (normalized ? .fractions : .pixels, [])
        }
        guard let values = try probe(draft) else { return (draft.version == .yolox ? .gridOffsets : .fractions, []) }
        return values.withUnsafeBufferPointer { values in
            let place: (Int, Int) -> Float = { values[draft.position(box: $0, column: $1)] }
            if draft.version == .yolox {
                // Decoded centres lie near their cells; raw ones near zero.
                let distances = draft.grid.indices.map { box in
                    abs(place(box, 0) / draft.grid[box].stride - draft.grid[box].x)
                }
                let median = distances.sorted()[distances.count / 2]
                return median < 2
                    ? (.pixels, ["Boxes seem to be decoded already, judged by a grey picture."])
                    : (.gridOffsets, ["Boxes seem to be raw grid offsets, judged by a grey picture."])
            }
            let largest = (0..<draft.boxCount).map { max(place($0, 0), place($0, 1)) }.max() ?? 0
            return largest > 2
                ? (.pixels, ["Boxes seem to be in pixels of the input, judged by a grey picture."])
                : (.fractions, ["Boxes seem to be fractions of the input, judged by a grey picture."])
        }
    }

    /// All values of the output, for the probe.
    func allValues(of interpreter: Interpreter, values: inout OutputValues) throws -> [Float]? {
        try values.with(output, of: interpreter) { $0.count == boxCount * columns ? Array($0) : nil }
    }

    // MARK: - Reading

    /// Where a number of a box lies in the output.
    private func position(box: Int, column: Int) -> Int { box * boxStep + column * columnStep }

    func candidates(
        of interpreter: Interpreter,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        try values.with(output, of: interpreter) { values in
            guard values.count == boxCount * columns else { return [] }
            let firstClass = hasObjectness ? 5 : 4
            var candidates: [Candidate] = []
            for box in 0..<boxCount {
                let objectness = hasObjectness ? values[position(box: box, column: 4)] : 1
                guard objectness.isFinite else { throw OutputError.notFinite(model: model, tensor: output.name) }
                // The score is a product with a class score of at most 1.
                guard objectness >= minimumScore else { continue }
                var best = position(box: box, column: firstClass)
                let end = position(box: box, column: columns)
                for place in stride(from: best, to: end, by: columnStep) where values[place] > values[best] {
                    best = place
                }
                let score = objectness * values[best]
                guard score.isFinite else { throw OutputError.notFinite(model: model, tensor: output.name) }
                guard score >= minimumScore else { continue }
                let classIndex = (best - position(box: box, column: firstClass)) / columnStep
                let candidate = candidate(box, values: values, score: min(score, 1), classIndex: classIndex)
                guard candidate.isFinite else { throw OutputError.notFinite(model: model, tensor: output.name) }
                candidates.append(candidate)
            }
            return candidates
        }
    }

    private func candidate(
        _ box: Int,
        values: UnsafeBufferPointer<Float>,
        score: Float,
        classIndex: Int
    ) -> Candidate {
        var x = values[position(box: box, column: 0)]
        var y = values[position(box: box, column: 1)]
        var width = values[position(box: box, column: 2)]
        var height = values[position(box: box, column: 3)]
        if unit == .gridOffsets {
            let cell = grid[box]
            x = (x + cell.x) * cell.stride
            y = (y + cell.y) * cell.stride
            width = exp(width) * cell.stride
            height = exp(height) * cell.stride
        }
        if unit != .fractions {
            x /= Float(inputSize.width)
            width /= Float(inputSize.width)
            y /= Float(inputSize.height)
            height /= Float(inputSize.height)
        }
        return Candidate(
            left: x - width / 2,
            top: y - height / 2,
            right: x + width / 2,
            bottom: y + height / 2,
            score: score,
            classIndex: classIndex
        )
    }
}

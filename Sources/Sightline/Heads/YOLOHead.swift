import Foundation
import TensorFlowLite

/// The single output of the YOLO family: one row a box (or, in newer versions, one column), with the box's center and
/// size, in older versions an objectness, and a score for each class.
struct YOLOHead: DetectorHead {
    /// The versions that differ in their output.
    enum Version: Sendable, Hashable {
        /// `[1, boxes, 5 + classes]`, boxes decoded. Ultralytics YOLOv5 and what followed its export.
        case v5
        /// Boxes and class scores without objectness, `isTransposed` if `[1, 4 + classes, boxes]`. YOLOv8, YOLO11.
        case v8(isTransposed: Bool)
        /// `[1, cells, 5 + classes]` over grids of strides 8, 16, 32. Z. Ge et al., "YOLOX", 2021.
        case yolox
    }

    /// The meaning of the numbers of a box.
    enum BoxUnit: Sendable, Hashable {
        /// Fractions of the input.
        case fractions
        /// Pixels of the input.
        case pixels
        /// Offsets from grid cells in strides; sizes as logarithms of strides.
        case gridOffsets
    }

    let version: Version
    let output: OutputTensor
    private let inputSize: PixelSize
    /// The meaning of a box's numbers. Until the model was probed, a guess.
    var unit: BoxUnit
    let boxCount: Int
    let columns: Int
    private let boxStep: Int
    private let columnStep: Int
    let grid: [(x: Float, y: Float, stride: Float)]
    private let model: String
    var needsProbe: Bool
    var assumptions: [String] = []

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

    static let names: [ModelSidecar.Head] = [.yolov5, .yolov8, .yolox]

    static func find(in files: ModelFiles) throws -> YOLOHead? {
        // The version does not change which input takes the picture, nor its size.
        let inputSize = try ImageInput(files, floatRange: .pixelValues).format.size
        guard files.model.outputs.count == 1, let shape = files.model.outputs.first?.shape.dimensions, shape.count == 3,
            shape[0] == 1, min(shape[1], shape[2]) >= 5,
            let version = version(shape: shape, inputSize: inputSize, name: files.sidecar.head)
        else { return nil }
        return try YOLOHead(files, version: version, inputSize: inputSize)
    }

    private init(
        _ files: ModelFiles,
        version: Version,
        inputSize: PixelSize
    ) throws(LocalModelError) {
        output = try OutputTensor(0, of: files)
        self.version = version
        self.inputSize = inputSize
        (unit, needsProbe) = Self.unit(of: version, sidecar: files.sidecar)
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

    // MARK: - Which version

    private static func version(shape: [Int], inputSize: PixelSize, name: ModelSidecar.Head?) -> Version? {
        let isTransposed = shape[1] < shape[2]
        switch name {
        case .yolov5?: return .v5
        case .yolov8?: return .v8(isTransposed: isTransposed)
        case .yolox?: return .yolox
        case nil:
            if isTransposed { return .v8(isTransposed: true) }
            if shape[1] == grid(inputSize).count { return .yolox }
            // Three anchors a cell; other counts come from versions 5 with other strides.
            return .v5
        default: return nil
        }
    }

    private static func grid(_ size: PixelSize) -> [(x: Float, y: Float, stride: Float)] {
        [8, 16, 32].flatMap { stride in
            (0..<size.height / stride).flatMap { row in
                (0..<size.width / stride).map { (Float($0), Float(row), Float(stride)) }
            }
        }
    }

    // MARK: - Reading

    /// Where a number of a box lies in the output.
    func position(box: Int, column: Int) -> Int { box * boxStep + column * columnStep }

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

extension ModelSidecar.Head {
    /// `[1, boxes, 5 + classes]`: center, size, objectness, class scores.
    public static let yolov5 = Self(rawValue: "yolov5")
    /// `[1, 4 + classes, boxes]` or `[1, boxes, 4 + classes]`: center, size, class scores. YOLOv8 and YOLO11.
    public static let yolov8 = Self(rawValue: "yolov8")
    /// `[1, cells, 5 + classes]` on a grid of strides 8, 16 and 32.
    public static let yolox = Self(rawValue: "yolox")
}

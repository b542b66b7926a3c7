import Foundation
import TensorFlowLite

/// The output of the YOLO family: one row a box (or, in newer versions, one column), with the box's center and size, in older
/// versions an objectness, and a score for each class.
///
/// Segmentation models have a second output with prototypes for masks: ``PrototypeMasks``. Models for poses have points behind the scores:
/// ``PointColumns``.
struct YOLOHead: DetectorHead {
    /// The meaning of the numbers of a box.
    enum BoxUnit: Sendable, Hashable {
        /// Fractions of the input.
        case fractions
        /// Pixels of the input.
        case pixels
        /// Offsets from grid cells in strides; sizes as logarithms of strides.
        case gridOffsets
    }

    let layout: YOLOLayout
    let output: OutputTensor
    private let inputSize: PixelSize
    /// The meaning of a box's numbers. Until the model was probed, a guess.
    var unit: BoxUnit
    private let boxStep: Int
    private let columnStep: Int
    let grid: [(x: Float, y: Float, stride: Float)]
    let model: String
    private let otherOutputs: [String]
    private let prototypes: PrototypeMasks?
    private let points: PointColumns?
    var givesMasks: Bool { prototypes != nil }
    var needsProbe: Bool
    var assumptions: [String] = []

    let defaultScoreThreshold: Float = 0.3
    let defaultIoUThreshold: Float? = 0.5

    var classCount: Int? { layout.classCount }
    var pointNames: [ObjectPoint.Name]? { points?.names }
    var floatRange: ImageInput.FloatRange { layout.version == .yolox ? .pixelValues : .zeroToOne }
    var channels: InputFormat.Channels { layout.version == .yolox ? .bgr : .rgb }
    var fit: ImageFit { .letterbox(fill: 114, anchor: layout.version == .yolox ? .topLeft : .center) }
    var unused: [String] {
        if prototypes != nil { return [] }
        if points != nil { return otherOutputs }
        return [layout.extra.unusedSummary(of: output.name)].compactMap(\.self) + otherOutputs
    }
    var summary: String {
        switch layout.version {
        case .v5: "YOLOv5 (boxes with objectness)"
        case .v8: "YOLOv8 to YOLO26 (boxes without objectness)"
        case .yolox: "YOLOX (\(unit == .gridOffsets ? "raw grid offsets" : "decoded boxes"))"
        }
    }

    static let names: [ModelSidecar.Head] = [.yolov5, .yolov8, .yolox]

    static func find(in files: ModelFiles) throws -> YOLOHead? {
        // The version does not change which input takes the picture, nor its size.
        let input = try ImageInput(files, floatRange: .pixelValues).format
        guard let outputs = YOLOOutputs(files), min(outputs.shape[1], outputs.shape[2]) >= 5,
            let layout = YOLOLayout(
                shape: outputs.shape,
                prototypeCount: outputs.prototypeCount,
                inputSize: input.size,
                files: files
            )
        else { return nil }
        return try YOLOHead(files, outputs: outputs, layout: layout, input: input)
    }

    private init(
        _ files: ModelFiles,
        outputs: YOLOOutputs,
        layout: YOLOLayout,
        input: InputFormat
    ) throws(LocalModelError) {
        output = try OutputTensor(outputs.boxes, of: files)
        self.layout = layout
        inputSize = input.size
        (unit, needsProbe) = Self.unit(of: layout.version, sidecar: files.sidecar)
        model = files.name
        otherOutputs = outputs.unused
        if case .maskCoefficients(let count) = layout.extra, let index = outputs.prototypes {
            prototypes = try PrototypeMasks(output: index, count: count, input, of: files)
        } else {
            prototypes = nil
        }
        points =
            if case .keypoints(let count) = layout.extra { PointColumns(count: count, files.ultralytics) } else { nil }
        (boxStep, columnStep) = layout.isTransposed ? (1, layout.boxCount) : (layout.columnCount, 1)
        grid = layout.version == .yolox ? CellGrids.cells(inputSize) : []
        if layout.version == .yolox, grid.count != layout.boxCount {
            throw .output(
                model: files.name,
                reason: """
                    a YOLOX of \(inputSize.width) × \(inputSize.height) has \(grid.count) cells, this gives \
                    \(layout.boxCount)
                    """
            )
        }
        assumptions += [layout.assumption].compactMap(\.self)
        if layout.extra == .angle {
            assumptions.append("Oriented boxes are reported as the upright rectangles around them.")
        }
    }

    // MARK: - Reading

    /// The position of a box's number in the output.
    func position(box: Int, column: Int) -> Int { box * boxStep + column * columnStep }

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        try values.with(output, of: interpreter) { values in
            guard values.count == layout.boxCount * layout.columnCount else { return [] }
            var candidates: [Candidate] = []
            func add(_ box: Int, _ score: Float, _ classIndex: () -> Int) throws {
                guard score.isFinite else { throw OutputError.notFinite(model: model, tensor: output.name) }
                guard score >= minimumScore else { return }
                let candidate = try candidate(box, values: values, score: min(score, 1), classIndex: classIndex())
                candidates.append(candidate)
            }
            if layout.isTransposed, !layout.hasObjectness {
                try forEachScore(in: values, add)
                return candidates
            }
            let firstClass = layout.firstClass
            let endClass = firstClass + layout.classCount
            for box in 0..<layout.boxCount {
                let objectness = layout.hasObjectness ? values[position(box: box, column: 4)] : 1
                guard objectness.isFinite else { throw OutputError.notFinite(model: model, tensor: output.name) }
                // The score is a product with a class score of at most 1.
                guard objectness >= minimumScore else { continue }
                var best = position(box: box, column: firstClass)
                let end = position(box: box, column: endClass)
                for place in stride(from: best, to: end, by: columnStep) where values[place] > values[best] {
                    best = place
                }
                try add(box, objectness * values[best]) {
                    (best - position(box: box, column: firstClass)) / columnStep
                }
            }
            return candidates
        }
    }

    /// Calls `body` with the best score of each box of an output with one row for each class, and with a function that finds its class.
    ///
    /// Many boxes are compared at once, which compiles to vector instructions: one box after the other, each class lies in another part of
    /// the memory.
    ///
    /// Unsafe but sound: the caller has checked that the output has `boxCount` × `columnCount` values; a place is below
    /// `boxCount` × (`firstClass` + `classCount`), which is not more.
    private func forEachScore(
        in values: UnsafeBufferPointer<Float>,
        _ body: (_ box: Int, _ score: Float, _ classIndex: () -> Int) throws -> Void
    ) throws {
        guard let start = values.baseAddress, layout.classCount > 0 else { return }
        let (classes, boxCount) = (start + layout.firstClass * layout.boxCount, layout.boxCount)
        let blockSize = 256
        try withUnsafeTemporaryAllocation(of: Float.self, capacity: blockSize) { block in
            guard let best = block.baseAddress else { return }
            for first in stride(from: 0, to: boxCount, by: blockSize) {
                let count = min(blockSize, boxCount - first)
                best.initialize(from: classes + first, count: count)
                for number in 1..<max(layout.classCount, 1) {
                    let row = classes + number * boxCount + first
                    for index in 0..<count { best[index] = row[index] > best[index] ? row[index] : best[index] }
                }
                for index in 0..<count {
                    try body(first + index, best[index]) {
                        (0..<layout.classCount).first { classes[$0 * boxCount + first + index] == best[index] } ?? 0
                    }
                }
            }
        }
    }

    /// The box of a row, with its points.
    ///
    /// - Throws: `OutputError.notFinite`.
    private func candidate(
        _ box: Int,
        values: UnsafeBufferPointer<Float>,
        score: Float,
        classIndex: Int
    ) throws -> Candidate {
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
        if layout.extra == .angle {
            let angle = values[position(box: box, column: layout.columnCount - 1)]
            (width, height) = OrientedBox.uprightSize(width, height, angle: angle, in: inputSize)
        }
        var candidate = Candidate(
            left: x - width / 2,
            top: y - height / 2,
            right: x + width / 2,
            bottom: y + height / 2,
            score: score,
            classIndex: classIndex,
            row: prototypes == nil ? nil : box
        )
        if let points {
            let first = layout.firstClass + layout.classCount
            // Points have the unit of the boxes.
            let scale: (x: Float, y: Float) =
                unit == .fractions ? (1, 1) : (1 / Float(inputSize.width), 1 / Float(inputSize.height))
            candidate.points = points.points(scale: scale) { values[position(box: box, column: first + $0)] }
        }
        guard candidate.isFinite, points == nil || candidate.points != nil else {
            throw OutputError.notFinite(model: model, tensor: output.name)
        }
        return candidate
    }

    func masks(
        of candidates: [Candidate],
        _ interpreter: any InferenceSession,
        values: inout OutputValues
    ) throws -> [MaskGrid?] {
        guard let prototypes else { return candidates.map { _ in nil } }
        // The coefficients follow the class scores.
        let first = layout.firstClass + layout.classCount
        return try prototypes.grids(of: candidates, in: output, interpreter, values: &values) { row, number in
            position(box: row, column: first + number)
        }
    }
}

extension ModelSidecar.Head {
    /// `[1, boxes, 5 + classes]`: center, size, objectness, class scores.
    public static let yolov5 = Self(rawValue: "yolov5")
    /// `[1, 4 + classes, boxes]` or `[1, boxes, 4 + classes]`: center, size, class scores. YOLOv8 to YOLO12, RT-DETR.
    public static let yolov8 = Self(rawValue: "yolov8")
    /// `[1, cells, 5 + classes]` on a grid of strides 8, 16 and 32.
    public static let yolox = Self(rawValue: "yolox")
}

import TensorFlowLite

/// Rows of left, top, right, bottom, confidence and class, `[1, rows, 6]`, each for another object: YOLOv10, YOLO26 and the exports
/// of Ultralytics with `nms=True`. Rows without an object have confidence 0.
///
/// Segmentation models have coefficients of masks behind them: ``PrototypeMasks``. Models for poses have points: ``PointColumns``. Rows of
/// oriented boxes and of RT-DETR begin with center and size.
struct EndToEndHead: DetectorHead {
    private let output: OutputTensor
    private let rowCount: Int
    private let columnCount: Int
    /// The meaning of a box's numbers; nil to see it from the numbers.
    private let isNormalized: Bool?
    private let form: Form
    private let inputSize: PixelSize
    private let model: String
    private let prototypes: PrototypeMasks?
    private let points: PointColumns?
    var givesMasks: Bool { prototypes != nil }
    let classCount: Int?
    var pointNames: [ObjectPoint.Name]? { points?.names }
    let unused: [String]
    private(set) var needsProbe: Bool
    let assumptions: [String]

    let defaultScoreThreshold: Float = 0.3
    let defaultIoUThreshold: Float? = nil
    let fit: ImageFit
    let floatRange = ImageInput.FloatRange.zeroToOne
    let summary = "end-to-end YOLO (one row an object)"

    /// The meaning of the first four numbers of a row.
    private enum Form: Sendable, Hashable {
        case corners
        case centerAndSize
        /// With an angle at the end of the row.
        case orientedCenterAndSize
    }

    static let names = [ModelSidecar.Head.endToEnd]

    /// More rows are those of a model whose boxes have to be suppressed.
    private static let maximumRows = 1000

    static func find(in files: ModelFiles) throws -> EndToEndHead? {
        let input = try ImageInput(files, floatRange: .zeroToOne).format
        guard let outputs = YOLOOutputs(files), outputs.shape[1] > 0, outputs.shape[2] >= 6,
            isExpected(outputs, inputSize: input.size, files)
        else { return nil }
        return try EndToEndHead(files, outputs: outputs, input: input)
    }

    /// Whether the sidecar calls the model so, otherwise whether its metadata and its shape do.
    private static func isExpected(_ outputs: YOLOOutputs, inputSize: PixelSize, _ files: ModelFiles) -> Bool {
        if files.sidecar.head == .endToEnd { return true }
        let (rows, columns) = (outputs.shape[1], outputs.shape[2])
        let hasColumns =
            switch files.ultralytics?.task {
            case .detect?, .segment?, nil: columns == 6 + (outputs.prototypeCount ?? 0)
            case .obb?: columns == 7
            case .pose?: columns > 6 && columns < rows
            case .classify?, .semantic?, .depth?: false
            }
        guard hasColumns else { return false }
        if let ultralytics = files.ultralytics, ultralytics.isEndToEnd || ultralytics.isTransformer { return true }
        // Many exports do not say so, but other models give a row for each cell, or for each of three anchors of a cell.
        return rows <= maximumRows && CellGrids.boxesPerCell(count: rows, over: inputSize) == nil
    }

    private init(_ files: ModelFiles, outputs: YOLOOutputs, input: InputFormat) throws(LocalModelError) {
        output = try OutputTensor(outputs.boxes, of: files)
        (rowCount, columnCount) = (outputs.shape[1], outputs.shape[2])
        inputSize = input.size
        model = files.name
        let ultralytics = files.ultralytics
        classCount = ultralytics?.names?.names.count
        let extra = columnCount - 6
        let isTransformer = ultralytics?.isTransformer == true
        form =
            ultralytics?.task == .obb && extra == 1 ? .orientedCenterAndSize : isTransformer ? .centerAndSize : .corners
        fit = isTransformer ? .stretch : .letterbox(fill: 114, anchor: .center)
        // Exports through LiteRT, which have channels first, give pixels; exports through TensorFlow give either.
        isNormalized =
            files.sidecar.normalizedBoxes
            ?? (isTransformer ? true : ultralytics != nil && input.layout == .nchw ? false : nil)
        let meaning: String? =
            switch ultralytics?.task {
            case _ where extra == 0: nil
            case .segment?: "the \(extra) mask coefficients"
            case .pose?: "the \(extra) numbers of key points"
            case .obb?: "the angle"
            default: "\(extra) further numbers"
            }
        let name = output.name
        prototypes =
            if extra > 0, [.segment, nil].contains(ultralytics?.task), let index = outputs.prototypes {
                try PrototypeMasks(output: index, count: extra, input, of: files)
            } else {
                nil
            }
        let hasPoints = ultralytics?.task == .pose || ultralytics == nil && extra == PointColumns.bodyNumbers
        points = hasPoints && prototypes == nil ? PointColumns(count: extra, ultralytics) : nil
        unused =
            prototypes != nil
            ? []
            : points != nil ? outputs.unused : (meaning.map { ["\($0) of each row in \(name)"] } ?? []) + outputs.unused
        var assumptions: [String] = []
        needsProbe = ultralytics == nil && files.sidecar.head == nil
        if needsProbe {
            assumptions.append(
                "Rows of \(columnCount) numbers are taken for left, top, right, bottom, confidence and class."
            )
        }
        if form == .orientedCenterAndSize {
            assumptions.append("Oriented boxes are reported as the upright rectangles around them.")
        }
        self.assumptions = assumptions
    }

    /// Refuses outputs that are not rows of boxes: six numbers a row may also be other things.
    func probed(_ interpreter: any InferenceSession, values: inout OutputValues) throws -> EndToEndHead {
        var probed = self
        probed.needsProbe = false
        // Steps of a quantized output may be coarser than a class.
        guard output.quantization == nil else { return probed }
        try values.with(output, of: interpreter) { values in
            guard values.count == rowCount * columnCount else { return }
            let rows = (0..<rowCount).map { Array(values[$0 * columnCount..<($0 + 1) * columnCount]) }
            let other = rows.first { row in
                // Rows without an object may have the class −1.
                !(-0.01...1.01).contains(row[4]) || row[5] < -1 || abs(row[5] - row[5].rounded()) > 0.01
            }
            // Boxes of hardly any confidence may be turned inside out.
            let inverted = rows.filter { $0[0] > $0[2] || $0[1] > $0[3] }
            guard let odd = other ?? (inverted.count * 2 > rowCount ? inverted[0] : nil) else { return }
            throw LocalModelError.output(
                model: model,
                reason: """
                    its rows, such as \(odd) for a gray picture, are not left, top, right, bottom, confidence and class; if it \
                    finds objects, name its head in a sidecar file
                    """
            )
        }
        return probed
    }

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        try values.with(output, of: interpreter) { values in
            guard values.count == rowCount * columnCount else { return [] }
            var candidates: [Candidate] = []
            for row in 0..<rowCount {
                let numbers = UnsafeBufferPointer(rebasing: values[row * columnCount..<(row + 1) * columnCount])
                guard numbers[4].isFinite else { throw OutputError.notFinite(model: model, tensor: output.name) }
                guard numbers[4] > 0, numbers[4] >= minimumScore else { continue }
                var candidate = candidate(numbers)
                guard candidate.isFinite, numbers[5].isFinite else {
                    throw OutputError.notFinite(model: model, tensor: output.name)
                }
                if prototypes != nil { candidate.row = row }
                if let points {
                    // Six numbers come before the points.
                    candidate.points = points.points(scale: (1, 1)) { numbers[6 + $0] }
                    guard candidate.points != nil else {
                        throw OutputError.notFinite(model: model, tensor: output.name)
                    }
                }
                candidates.append(candidate)
            }
            return isNormalized ?? areFractions(candidates) ? candidates : candidates.map(inFractions)
        }
    }

    func masks(
        of candidates: [Candidate],
        _ interpreter: any InferenceSession,
        values: inout OutputValues
    ) throws -> [MaskGrid?] {
        guard let prototypes else { return candidates.map { _ in nil } }
        // Six numbers come before the coefficients.
        return try prototypes.grids(of: candidates, in: output, interpreter, values: &values) { row, number in
            row * columnCount + 6 + number
        }
    }

    private func candidate(_ numbers: UnsafeBufferPointer<Float>) -> Candidate {
        var candidate = Candidate(
            left: numbers[0],
            top: numbers[1],
            right: numbers[2],
            bottom: numbers[3],
            score: min(numbers[4], 1),
            classIndex: numbers[5].isFinite ? Int(min(max(numbers[5].rounded(), 0), 1e6)) : 0
        )
        guard form != .corners else { return candidate }
        var (width, height) = (numbers[2], numbers[3])
        if form == .orientedCenterAndSize {
            let scale = isNormalized == false ? nil : inputSize
            (width, height) = OrientedBox.uprightSize(width, height, angle: numbers[columnCount - 1], in: scale)
        }
        candidate.left = numbers[0] - width / 2
        candidate.top = numbers[1] - height / 2
        candidate.right = numbers[0] + width / 2
        candidate.bottom = numbers[1] + height / 2
        return candidate
    }

    /// Whether boxes are fractions of the input: boxes in pixels reach far beyond 2.
    private func areFractions(_ candidates: [Candidate]) -> Bool {
        let far = candidates.filter { max($0.right, $0.bottom) > 2 }
        return far.count * 2 <= candidates.count
    }

    private func inFractions(_ box: Candidate) -> Candidate {
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        var box = box
        box.left /= width
        box.right /= width
        box.top /= height
        box.bottom /= height
        for index in (box.points ?? []).indices {
            box.points?[index].x /= width
            box.points?[index].y /= height
        }
        return box
    }
}

extension ModelSidecar.Head {
    /// `[1, rows, 6]`: left, top, right, bottom, confidence, class; each object once.
    public static let endToEnd = Self(rawValue: "end-to-end")
}

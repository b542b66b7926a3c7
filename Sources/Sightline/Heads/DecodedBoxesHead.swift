import Foundation
import TensorFlowLite

/// Decoded boxes `[1, n, 4]` with scores for each class, `[1, n, classes]` or `[1, classes, n]`, or with the best score and its class,
/// both `[1, n]`: DETR and similar models such as RF-DETR, YOLO-NAS, PP-YOLOE, and the YOLO exports for mobile chips. Scores may begin with
/// that of the background, as those of the Ultra-Light-Fast-Generic-Face-Detector do, whose number of boxes shows it.
///
/// Models differ in the numbers of a box. The outputs for a gray picture show which numbers a model gives. Those of the face detector are
/// offsets from its anchors where it was exported without its post-processing.
struct DecodedBoxesHead: DetectorHead {
    /// The numbers of a box.
    enum BoxForm: Sendable, Hashable {
        /// Left, top, right, bottom.
        case corners
        /// Center x, center y, width, height.
        case centers
        /// Offsets from the anchors of the Ultra-Light-Fast-Generic-Face-Detector.
        case faceOffsets
    }

    private let boxes: OutputTensor
    private let scores: OutputTensor
    /// The best class of each box; nil if there are scores for each class.
    private let classes: OutputTensor?
    let classCount: Int?
    private let boxCount: Int
    private let isTransposed: Bool
    /// The number of scores of each box; 1 where there is only the best.
    private let columnCount: Int
    /// The first score of a class: 1 where the first is that of the background.
    private let firstClass: Int
    /// Whether the model takes the size of the picture as another input, as RT-DETR's exports do.
    private let takesSize: Bool
    private let inputSize: PixelSize
    private let model: String
    private var form = BoxForm.corners
    /// The anchors of offsets; empty for other forms.
    private var anchors: [SSDAnchors.Box] = []
    private var isNormalized: Bool
    private(set) var needsProbe = true
    private(set) var assumptions: [String]

    var classNames: [String]? {
        hasFaceAnchors && classCount == 1 ? SSDAnchors.Published.ultraLightFace.classNames : nil
    }

    /// The thresholds of the face detector are those of its own programs.
    var defaultScoreThreshold: Float { hasFaceAnchors ? 0.7 : 0.3 }
    /// Programs of transformers suppress nothing.
    var defaultIoUThreshold: Float? { hasFaceAnchors ? 0.3 : isTransformer ? nil : 0.6 }
    let summary = "decoded boxes and scores"

    /// Models with few boxes are transformers, which learn to give each object once; others have a box for each cell of some grids.
    private var isTransformer: Bool {
        boxCount <= Self.maximumQueries && boxCount != CellGrids.cells(inputSize).count
    }
    var fit: ImageFit {
        if isDAMO { return .letterbox(fill: 0, anchor: .topLeft) }
        return isTransformer || hasBackground ? .stretch : .letterbox(fill: 114, anchor: .center)
    }
    var floatRange: ImageInput.FloatRange {
        if hasBackground { return hasFaceAnchors ? .aroundGray : .plusMinusOne }
        if isDAMO { return .pixelValues }
        return isTransformer && !takesSize ? .imageNet : .zeroToOne
    }

    /// Whether the order of the outputs is that of DAMO-YOLO: rows of scores, then the boxes of the same cells. YOLO-NAS and PP-YOLOE have the
    /// boxes first.
    private var isDAMO: Bool {
        isFromPyTorch && !isTransformer && classes == nil && !isTransposed && !hasBackground
            && scores.index < boxes.index
            && CellGrids.boxesPerCell(count: boxCount, over: inputSize) == 1
    }

    private var hasBackground: Bool { firstClass > 0 }
    /// Whether the boxes are those of the Ultra-Light-Fast-Generic-Face-Detector.
    private let hasFaceAnchors: Bool
    /// Whether the order of the outputs is that of the network; converters to TensorFlow Lite change it.
    private let isFromPyTorch: Bool

    static let names = [ModelSidecar.Head.decodedBoxes]

    private static let maximumQueries = 1000
    private static let faceCoding = SSDCoding(SSDAnchors.Published.ultraLightFace.anchors)

    static func find(in files: ModelFiles) throws -> DecodedBoxesHead? {
        let shapes = files.outputShapes
        guard shapes.allSatisfy({ $0.first == 1 }),
            let boxes = shapes.firstIndex(where: { $0.count == 3 && $0[1] > 4 && $0[2] == 4 })
        else { return nil }
        let count = shapes[boxes][1]
        let others = shapes.indices.filter { $0 != boxes }
        let inputSize = try ImageInput(files, floatRange: .zeroToOne).format.size
        if others.count == 1, shapes[others[0]].count == 3, shapes[others[0]][1...].contains(count) {
            return try DecodedBoxesHead(files, boxes, scores: others[0], classes: nil, inputSize: inputSize)
        }
        let lists = others.filter { shapes[$0] == [1, count] }
        guard others.count == 2, lists.count == 2 else { return nil }
        let names = lists.map { files.model.outputs[$0].name.lowercased() }
        let classesPlace =
            lists.firstIndex { ![.float32, .float16].contains(files.model.outputs[$0].dataType) }
            ?? names.firstIndex { $0.contains("class") || $0.contains("label") } ?? 1
        return try DecodedBoxesHead(
            files,
            boxes,
            scores: lists[1 - classesPlace],
            classes: lists[classesPlace],
            inputSize: inputSize
        )
    }

    private init(
        _ files: ModelFiles,
        _ boxes: Int,
        scores: Int,
        classes: Int?,
        inputSize: PixelSize
    ) throws(LocalModelError) {
        self.boxes = try OutputTensor(boxes, of: files)
        self.scores = try OutputTensor(scores, of: files)
        self.classes = if let classes { try OutputTensor(classes, of: files) } else { nil }
        boxCount = self.boxes.shape[1]
        isTransposed = classes == nil && self.scores.shape[1] != boxCount
        columnCount = classes == nil ? self.scores.shape[isTransposed ? 1 : 2] : 1
        takesSize = files.model.inputs.contains { SizeInput($0) != nil }
        self.inputSize = inputSize
        isFromPyTorch = !(files.model is Model)
        hasFaceAnchors =
            classes == nil && columnCount > 1 && boxCount == CellGrids.faceAnchorCount(over: inputSize)
        // Two scores for each of many boxes that lie on no grids are those of the background and of a single class.
        firstClass =
            hasFaceAnchors
                || columnCount == 2 && boxCount > Self.maximumQueries
                    && CellGrids.boxesPerCell(count: boxCount, over: inputSize) == nil
            ? 1 : 0
        classCount = classes == nil ? columnCount - firstClass : nil
        model = files.name
        isNormalized = files.sidecar.normalizedBoxes ?? true
        hasKnownUnit = files.sidecar.normalizedBoxes != nil
        assumptions =
            firstClass == 0
            ? [] : ["The first of the \(columnCount) scores of a box is taken for that of the background."]
    }

    private let hasKnownUnit: Bool

    // MARK: - Probing

    func probed(_ interpreter: any InferenceSession, values: inout OutputValues) throws -> DecodedBoxesHead {
        var probed = self
        probed.needsProbe = false
        try values.with(scores, of: interpreter) { try checkScores($0) }
        let (form, isNormalized) = try values.with(boxes, of: interpreter) { try shown(by: $0) }
        probed.form = form
        if form == .faceOffsets {
            probed.anchors = faceAnchors
            probed.assumptions.append(
                "Boxes seem to be offsets from the anchors of Ultra-Light-Face, judged by a gray picture."
            )
            return probed
        }
        if !hasKnownUnit { probed.isNormalized = isNormalized }
        probed.assumptions.append(
            "Boxes seem to be \(form == .corners ? "left, top, right, bottom" : "center and size") in "
                + "\(probed.isNormalized ? "fractions" : "pixels") of the input, judged by a gray picture."
        )
        return probed
    }

    /// Refuses scores that are high for many boxes of a gray picture: a class stands for the background, or the numbers are others.
    private func checkScores(_ scores: UnsafeBufferPointer<Float>) throws {
        guard scores.count == boxCount * columnCount else { return }
        let isLogit = scores.contains { $0 < -0.01 || $0 > 1.01 }
        let best = try (0..<boxCount).map { try self.best(of: $0, scores) }
        let high = best.filter { $0.score > (isLogit ? 0 : 0.5) }
        guard high.count > 4, high.count * 4 > boxCount else { return }
        let commonest = Dictionary(grouping: high, by: \.classIndex).max { $0.value.count < $1.value.count }?.key ?? 0
        throw LocalModelError.output(
            model: model,
            reason: """
                \(high.count) of its \(boxCount) boxes have a high score for a gray picture, mostly for class \(commonest); that class \
                seems to stand for the background, which this kind of model must not have
                """
        )
    }

    private var faceAnchors: [SSDAnchors.Box] { SSDAnchors.Published.ultraLightFace.anchors.layout(in: inputSize) }

    private func shown(by values: UnsafeBufferPointer<Float>) throws -> (form: BoxForm, isNormalized: Bool) {
        guard values.count == boxCount * 4, values.allSatisfy(\.isFinite) else {
            throw OutputError.notFinite(model: model, tensor: boxes.name)
        }
        let rows = (0..<boxCount).map { Array(values[$0 * 4..<$0 * 4 + 4]) }
        func share(_ isTrue: ([Float]) -> Bool) -> Double { Double(rows.count(where: isTrue)) / Double(boxCount) }
        let isNormalized = share { ($0.max() ?? 0) > 2 } < 0.5
        let extent: Float = isNormalized ? 1.5 : 1.5 * Float(max(inputSize.width, inputSize.height))
        if share({ $0[2] > $0[0] && $0[3] > $0[1] && $0[2] <= 2 * extent }) > 0.95 { return (.corners, isNormalized) }
        if share({ $0[2] > 0 && $0[3] > 0 && $0[0] >= 0 && $0[1] >= 0 && $0[0] <= extent }) > 0.95 {
            return (.centers, isNormalized)
        }
        if hasFaceAnchors, faceAnchors.count == boxCount { return (.faceOffsets, true) }
        throw LocalModelError.output(
            model: model,
            reason: """
                its \(boxCount) raw boxes are neither corners nor centers and sizes of boxes; if they are offsets from anchors, \
                describe the anchors under "anchors" in the sidecar file
                """
        )
    }

    // MARK: - Reading

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        var rows: [Int] = []
        var found: [Candidate] = []
        try values.with(scores, of: interpreter) { scores in
            guard scores.count == boxCount * columnCount else { return }
            let isLogit = scores.contains { $0 < -0.01 || $0 > 1.01 }
            for row in 0..<boxCount {
                let (classIndex, value) = try best(of: row, scores)
                let score = isLogit ? 1 / (1 + exp(-value)) : value
                guard score >= minimumScore else { continue }
                rows.append(row)
                found.append(
                    Candidate(left: 0, top: 0, right: 0, bottom: 0, score: min(score, 1), classIndex: classIndex)
                )
            }
        }
        try values.with(boxes, of: interpreter) { boxes in
            for (index, row) in rows.enumerated() where row * 4 + 3 < boxes.count {
                place(&found[index], row, boxes)
                guard found[index].isFinite else { throw OutputError.notFinite(model: model, tensor: self.boxes.name) }
            }
        }
        if let classes {
            try values.with(classes, of: interpreter) { classes in
                for (index, row) in rows.enumerated() where row < classes.count {
                    guard classes[row].isFinite else {
                        throw OutputError.notFinite(model: model, tensor: self.classes?.name ?? "")
                    }
                    found[index].classIndex = Int(min(max(classes[row].rounded(), 0), 1e6))
                }
            }
        }
        return found
    }

    /// The best class of a box, and its score as the model gives it.
    private func best(of row: Int, _ scores: UnsafeBufferPointer<Float>) throws -> (classIndex: Int, score: Float) {
        let (start, step) = isTransposed ? (row, boxCount) : (row * columnCount, 1)
        var best = firstClass
        for number in firstClass..<columnCount {
            guard scores[start + number * step].isFinite else {
                throw OutputError.notFinite(model: model, tensor: self.scores.name)
            }
            if scores[start + number * step] > scores[start + best * step] { best = number }
        }
        return (best - firstClass, scores[start + best * step])
    }

    private func place(_ candidate: inout Candidate, _ row: Int, _ boxes: UnsafeBufferPointer<Float>) {
        let numbers = UnsafeBufferPointer(rebasing: boxes[row * 4..<row * 4 + 4])
        let width = isNormalized ? 1 : Float(inputSize.width)
        let height = isNormalized ? 1 : Float(inputSize.height)
        let (first, second) = (numbers[0] / width, numbers[1] / height)
        let (third, fourth) = (numbers[2] / width, numbers[3] / height)
        switch form {
        case .corners:
            (candidate.left, candidate.top, candidate.right, candidate.bottom) = (first, second, third, fourth)
        case .centers:
            (candidate.left, candidate.right) = (first - third / 2, first + third / 2)
            (candidate.top, candidate.bottom) = (second - fourth / 2, second + fourth / 2)
        case .faceOffsets:
            (candidate.left, candidate.top, candidate.right, candidate.bottom) =
                Self.faceCoding.box(boxes, at: row * 4, of: anchors[row])
        }
    }
}

extension ModelSidecar.Head {
    /// Decoded boxes `[1, n, 4]` with scores `[1, n, classes]`, or with scores and classes `[1, n]`.
    public static let decodedBoxes = Self(rawValue: "decoded-boxes")
}

import Foundation
import SightlineImages
import TensorFlowLite

/// A class for each place of a grid over the picture, as DeepLab and other models of semantic segmentation give it: the numbers of classes,
/// `[1, rows, columns]`, or a score for each class, `[1, rows, columns, classes]` or, where the picture comes in planes,
/// `[1, classes, rows, columns]`.
///
/// Such a model does not tell neighbors of one class apart. Each connected part of a class is an object; parts that touch at corners alone
/// are separate. Parts below a thousandth of the picture are dropped. Where the model gives scores, the confidence of an object is the mean of
/// its class's share (softmax) over its cells. Otherwise it is 1, since the model gives none. Models of Ultralytics for the task `semantic` are
/// such models; their first class is an object like the others.
struct PixelClassHead: DetectorHead {
    private let output: OutputTensor
    private let size: PixelSize
    /// The number of scores for each cell; nil for numbers of classes.
    private let scoreCount: Int?
    /// Whether the scores of a class lie together, before those of the next class.
    private let isPlanar: Bool
    private let hasBackground: Bool
    private let isSemantic: Bool
    private let model: String
    let classCount: Int?
    let assumptions: [String]

    // Ultralytics' own way with pictures.
    var fit: ImageFit { isSemantic ? .letterbox(fill: 114, anchor: .center) : .stretch }
    var floatRange: ImageInput.FloatRange { isSemantic ? .zeroToOne : .plusMinusOne }

    let defaultScoreThreshold: Float = 0.5
    let defaultIoUThreshold: Float? = nil
    let summary = "segmentation (a class for each place)"
    let givesMasks = true

    static let names = [ModelSidecar.Head.pixelClasses]

    /// The smallest share of the grid that a part needs to be an object.
    private static let leastShare = 0.001
    /// The operators whose result is a class.
    private static let choices: Set = ["ARG_MAX", "ArgMax"]
    private static let wholeNumbers: Set<Tensor.DataType> = [.uInt8, .int8, .int16, .int32, .int64]

    static func find(in files: ModelFiles) throws -> PixelClassHead? {
        guard files.model.outputs.count == 1, var shape = files.outputShapes.first, shape.first == 1 else { return nil }
        let tensor = files.model.outputs[0]
        let isSemantic = files.ultralytics?.task == .semantic
        let isNamed = files.sidecar.head == .pixelClasses || isSemantic
        let isChoice = Self.choices.contains(tensor.producer?.valueOperatorName ?? "")
        if shape.count == 4, shape[3] == 1, wholeNumbers.contains(tensor.dataType) { shape.removeLast() }
        let input = try ImageInput(files, floatRange: .plusMinusOne).format
        let isPlanar = shape.count == 4 && input.layout == .nchw
        let scoreCount: Int?
        switch shape.count {
        case 3 where wholeNumbers.contains(tensor.dataType) && (isNamed || isChoice):
            scoreCount = nil
        case 4:
            let count = isPlanar ? shape[1] : shape[3]
            guard count > 1, isNamed || isCount(count, of: files) else { return nil }
            scoreCount = count
        default:
            return nil
        }
        let size = PixelSize(width: shape[isPlanar ? 3 : 2], height: shape[isPlanar ? 2 : 1])
        guard size.width >= 8, size.height >= 8, size.width <= 1 << 14, size.height <= 1 << 14,
            size.height * input.size.width == size.width * input.size.height
        else { return nil }
        return try PixelClassHead(files, size: size, scoreCount: scoreCount, isPlanar: isPlanar)
    }

    /// Whether labels that were given, or that the model has, are as many as the scores, so that the output is neither a picture nor a depth.
    private static func isCount(_ count: Int, of files: ModelFiles) -> Bool {
        guard let labels = files.labels, !labels.isGuess else { return false }
        return labels.list.names.count == count
    }

    private init(
        _ files: ModelFiles,
        size: PixelSize,
        scoreCount: Int?,
        isPlanar: Bool
    ) throws(LocalModelError) {
        output = try OutputTensor(0, of: files)
        self.size = size
        self.scoreCount = scoreCount
        self.isPlanar = isPlanar
        model = files.name
        isSemantic = files.ultralytics?.task == .semantic
        let hasBackground = files.labels?.list.startsWithBackground ?? !isSemantic
        self.hasBackground = hasBackground
        classCount = scoreCount.map { hasBackground ? $0 - 1 : $0 }
        var assumptions: [String] = []
        if files.labels == nil, !isSemantic { assumptions.append("Class 0 is taken for the background.") }
        if scoreCount == nil { assumptions.append("The model gives no confidences, so each object has 1.") }
        self.assumptions = assumptions
    }

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        try values.with(output, of: interpreter) { values in
            guard values.count == size.width * size.height * (scoreCount ?? 1) else { return [] }
            return try parts(values).compactMap { part in
                let classIndex = Int(part.value) - (hasBackground ? 1 : 0)
                guard classIndex >= 0 else { return nil }
                let score = scoreCount == nil ? 1 : share(of: part, values)
                guard score >= minimumScore else { return nil }
                return Candidate(part, of: size, score: score, classIndex: classIndex)
            }
        }
    }

    func masks(
        of candidates: [Candidate],
        _ interpreter: any InferenceSession,
        values: inout OutputValues
    ) throws -> [MaskGrid?] {
        try values.with(output, of: interpreter) { values in
            guard values.count == size.width * size.height * (scoreCount ?? 1) else {
                return candidates.map { _ in nil }
            }
            let parts = Dictionary(uniqueKeysWithValues: try parts(values).map { ($0.first, $0) })
            return candidates.map { candidate in
                guard let first = candidate.row, let part = parts[first] else { return nil }
                var values = [Float](repeating: -1, count: part.columns.count * part.rows.count)
                for cell in part.cells {
                    let (column, row) = (cell % size.width, cell / size.width)
                    values[(row - part.rows.lowerBound) * part.columns.count + column - part.columns.lowerBound] = 1
                }
                return MaskGrid(size: size, columns: part.columns, rows: part.rows, values: values)
            }
        }
    }

    /// The connected parts of classes that are large enough to be objects, with those of the background.
    private func parts(_ values: UnsafeBufferPointer<Float>) throws -> [ConnectedParts.Part] {
        let least = max(1, Int(Self.leastShare * Double(size.width * size.height)))
        return ConnectedParts.find(in: try classes(values), size, least: least)
    }

    /// The class of each cell.
    private func classes(_ values: UnsafeBufferPointer<Float>) throws -> [Int32] {
        guard let scoreCount else {
            return try values.map { value in
                guard value.isFinite else { throw OutputError.notFinite(model: model, tensor: output.name) }
                return Int32(min(max(value, 0), 0x1p20))
            }
        }
        return try (0..<size.width * size.height).map { cell in
            var (best, bestScore) = (0, -Float.infinity)
            for index in 0..<scoreCount {
                let score = values[place(of: index, cell)]
                guard score.isFinite else { throw OutputError.notFinite(model: model, tensor: output.name) }
                if score > bestScore { (best, bestScore) = (index, score) }
            }
            return Int32(best)
        }
    }

    /// The position of a class's score for a cell.
    private func place(of index: Int, _ cell: Int) -> Int {
        isPlanar ? index * size.width * size.height + cell : cell * (scoreCount ?? 1) + index
    }

    /// The mean share of a part's class over its cells.
    private func share(
        of part: ConnectedParts.Part,
        _ values: UnsafeBufferPointer<Float>
    ) -> Float {
        guard let scoreCount else { return 1 }
        var sum = 0.0
        for cell in part.cells {
            let scores = (0..<scoreCount).lazy.map { values[place(of: $0, cell)] }
            let best = values[place(of: Int(part.value), cell)]
            // Shares add up to 1; other numbers are logits.
            let total = scores.reduce(0 as Float, +)
            let areShares = abs(total - 1) < 0.02 && scores.allSatisfy { $0 >= 0 }
            let share: Float = areShares ? best : 1 / scores.reduce(0 as Float) { $0 + exp($1 - best) }
            sum += Double(share)
        }
        return Float(sum / Double(max(part.cells.count, 1)))
    }
}

extension ModelSidecar.Head {
    /// `[1, rows, columns]` or `[1, rows, columns, classes]`: a class, or a score for each class, for each place.
    public static let pixelClasses = Self(rawValue: "pixel-classes")
}

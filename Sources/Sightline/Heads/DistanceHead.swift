import Foundation
import TensorFlowLite

/// Scores for each cell of some grids, and the distances from the cell to the four edges of its box: NanoDet-Plus, PP-PicoDet, RTMDet.
///
/// A distance is a number of pixels (RTMDet), or a distribution over 8 multiples of the stride, whose mean counts (X. Li et al.,
/// "Generalized Focal Loss", 2020). NanoDet-Plus gives scores and distances of all grids in one output, `[1, cells, classes + 32]`;
/// PP-PicoDet in two, `[1, cells, classes]` and `[1, cells, 32]`, or in two for each grid, as RTMDet and the first NanoDet do.
struct DistanceHead: DetectorHead {
    /// The numbers of cells in an output, which has a row for each cell.
    struct Columns: Sendable, Hashable {
        let output: OutputTensor
        /// The number of columns in a row, and the first that counts.
        let rowLength: Int
        let first: Int

        init(_ index: Int, of files: ModelFiles, from first: Int = 0) throws(LocalModelError) {
            output = try OutputTensor(index, of: files)
            rowLength = output.shape.last ?? 0
            self.first = first
        }
    }

    /// A grid of cells.
    struct Level: Sendable, Hashable {
        let width: Int
        let height: Int
        /// The distance of two cells in pixels.
        let strideX: Float
        let strideY: Float
        let scores: Columns
        let distances: Columns
        /// The row of the grid's first cell in the outputs.
        let start: Int

        /// The grid over an input of a size in pixels; its last cells may reach over the edge.
        init(_ size: PixelSize, strides: (x: Int, y: Int), scores: Columns, distances: Columns, start: Int = 0) {
            width = (size.width + strides.x - 1) / strides.x
            height = (size.height + strides.y - 1) / strides.y
            (strideX, strideY) = (Float(strides.x), Float(strides.y))
            (self.scores, self.distances, self.start) = (scores, distances, start)
        }
    }

    /// The models that differ in their numbers.
    enum Family: String {
        case nanoDet = "NanoDet-Plus"
        /// The first NanoDet, of 2020.
        case firstNanoDet = "NanoDet"
        case picoDet = "PP-PicoDet"
        case rtmDet = "RTMDet"

        /// The numbers that give the distances of a cell.
        var distanceCount: Int { self == .rtmDet ? 4 : 4 * bins }

        /// The center of the first cell, in strides and in pixels beyond them.
        var center: (strides: Float, pixels: Float) {
            switch self {
            case .picoDet: (0.5, 0)
            case .firstNanoDet: (0.5, -0.5)
            case .nanoDet, .rtmDet: (0, 0)
            }
        }
    }

    let levels: [Level]
    let classes: Int
    let family: Family
    /// Whether nothing but their order distinguished the outputs with scores from those with distances.
    let scoresAreGuess: Bool
    let inputSize: PixelSize
    let model: String
    let objectClass: Int?
    let unused: [String]

    let defaultScoreThreshold: Float = 0.3
    let defaultIoUThreshold: Float? = 0.6
    let floatRange = ImageInput.FloatRange.imageNet
    var classCount: Int? { classes }
    var channels: InputFormat.Channels { family == .picoDet ? .rgb : .bgr }
    var fit: ImageFit { family == .rtmDet ? .letterbox(fill: 114, anchor: .topLeft) : .stretch }
    var summary: String { "\(family.rawValue) (distances from cells)" }
    var assumptions: [String] {
        let shapes = "The shapes of the outputs are those of \(family.rawValue)."
        return scoresAreGuess
            ? [shapes, "By its shape, either output could hold the scores; the first is taken for them."] : [shapes]
    }

    static let names = [ModelSidecar.Head.distances]

    /// The steps of a distribution.
    static let bins = 8

    static func find(in files: ModelFiles) throws -> DistanceHead? {
        let input = try ImageInput(files, floatRange: .imageNet)
        return try DistanceHead(joined: files, input) ?? DistanceHead(paired: files, input)
            ?? DistanceHead(listed: files, input)
    }

    /// The cells of all grids in one output, or their scores in one and their distances in another.
    private init?(joined files: ModelFiles, _ input: ImageInput) throws(LocalModelError) {
        let shapes = files.outputShapes
        guard shapes.allSatisfy({ $0.count == 3 && $0[0] == 1 && $0[1] == shapes[0][1] }) else { return nil }
        let scores: Columns
        let distances: Columns
        switch shapes.count {
        case 1:
            family = .nanoDet
            scoresAreGuess = false
            classes = shapes[0][2] - family.distanceCount
            guard classes > 0 else { return nil }
            scores = try Columns(0, of: files)
            distances = try Columns(0, of: files, from: classes)
        case 2:
            family = .picoDet
            guard let pair = Pair([0, 1], of: files, kinds: [.picoDet]) else { return nil }
            scoresAreGuess = pair.isGuess
            classes = shapes[pair.scores][2]
            scores = try Columns(pair.scores, of: files)
            distances = try Columns(pair.distances, of: files)
        default: return nil
        }
        /// The grids over an input of a size, and the number of all their cells.
        func grids(over size: PixelSize) -> (levels: [Level], cells: Int) {
            var levels: [Level] = []
            var start = 0
            for stride in [8, 16, 32, 64] {
                let level = Level(size, strides: (stride, stride), scores: scores, distances: distances, start: start)
                start += level.width * level.height
                levels.append(level)
            }
            return (levels, start)
        }
        guard grids(over: input.statedSize).cells == shapes[0][1] else { return nil }
        levels = grids(over: input.format.size).levels
        // A YOLO with a grid of stride 64 has as many rows. Its rows have 4 or 5 numbers beside its class scores.
        if shapes.count == 1, files.sidecar.head == nil {
            let others = shapes[0][2] - (files.labels?.list.names.count ?? 80)
            guard ![4, 5].contains(others) else { return nil }
        }
        (inputSize, model, unused) = (input.format.size, files.name, [])
        objectClass = try files.objectClass(among: classes)
    }

    // MARK: - Reading

    /// A cell with enough confidence.
    private struct Cell {
        let number: Int
        let classIndex: Int
        let score: Float
        let classScore: Float?
    }

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        var candidates: [Candidate] = []
        for level in levels {
            let cells = try values.with(level.scores.output, of: interpreter) {
                try self.cells(of: level, $0, minimumScore: minimumScore)
            }
            guard !cells.isEmpty else { continue }
            candidates += try values.with(level.distances.output, of: interpreter) { distances in
                try cells.map { cell in
                    let candidate = candidate(cell, of: level, distances)
                    guard candidate.isFinite else {
                        throw OutputError.notFinite(model: model, tensor: level.distances.output.name)
                    }
                    return candidate
                }
            }
        }
        return candidates
    }

    private func cells(
        of level: Level,
        _ values: UnsafeBufferPointer<Float>,
        minimumScore: Float
    ) throws -> [Cell] {
        let count = level.width * level.height
        let columns = level.scores
        guard values.count >= (level.start + count) * columns.rowLength else { return [] }
        var cells: [Cell] = []
        for number in 0..<count {
            let start = (level.start + number) * columns.rowLength + columns.first
            let object = objectClass.map { start + $0 }
            // Most cells hold no object: their classes need not be compared.
            if let object, values[object].isFinite, confidence(values[object]) < minimumScore { continue }
            var best: Int?
            for place in start..<start + classes {
                guard values[place].isFinite else {
                    throw OutputError.notFinite(model: model, tensor: level.scores.output.name)
                }
                if place != object, best.map({ values[place] > values[$0] }) ?? true { best = place }
            }
            guard let best else { continue }
            let score = confidence(values[object ?? best])
            guard score >= minimumScore else { continue }
            cells.append(
                Cell(
                    number: number,
                    classIndex: best - start,
                    score: score,
                    classScore: object == nil ? nil : confidence(values[best])
                )
            )
        }
        return cells
    }

    /// RTMDet gives logits, the others confidences.
    private func confidence(_ value: Float) -> Float { family == .rtmDet ? 1 / (1 + exp(-value)) : min(value, 1) }

    private func candidate(_ cell: Cell, of level: Level, _ values: UnsafeBufferPointer<Float>) -> Candidate {
        let columns = level.distances
        let start = (level.start + cell.number) * columns.rowLength + columns.first
        guard start + family.distanceCount <= values.count else {
            return Candidate(left: .nan, top: 0, right: 0, bottom: 0, score: 0, classIndex: 0)
        }
        func distance(_ edge: Int, _ stride: Float) -> Float {
            family == .rtmDet ? values[start + edge] : mean(of: values, at: start + edge * Self.bins) * stride
        }
        let center = family.center
        let x = (Float(cell.number % level.width) + center.strides) * level.strideX + center.pixels
        let y = (Float(cell.number / level.width) + center.strides) * level.strideY + center.pixels
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        return Candidate(
            left: (x - distance(0, level.strideX)) / width,
            top: (y - distance(1, level.strideY)) / height,
            right: (x + distance(2, level.strideX)) / width,
            bottom: (y + distance(3, level.strideY)) / height,
            score: cell.score,
            classIndex: cell.classIndex,
            classScore: cell.classScore
        )
    }

    /// The mean of a distribution, whose logits begin at a place.
    private func mean(of values: UnsafeBufferPointer<Float>, at start: Int) -> Float {
        let logits = values[start..<start + Self.bins]
        let largest = logits.max() ?? 0
        var (sum, weighted): (Float, Float) = (0, 0)
        for (number, logit) in logits.enumerated() {
            let power = exp(logit - largest)
            sum += power
            weighted += power * Float(number)
        }
        return weighted / sum
    }
}

extension ModelSidecar.Head {
    /// Scores for the cells of grids, and distances from cells to edges: NanoDet-Plus, PP-PicoDet, RTMDet.
    public static let distances = Self(rawValue: "distances")
}

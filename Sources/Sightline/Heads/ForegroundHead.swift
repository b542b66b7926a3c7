import Foundation
import SightlineImages
import TensorFlowLite

/// The probability of one class for each place of a grid over the picture, `[1, rows, columns, 1]`, as MediaPipe's models for selfies give
/// it.
///
/// Each connected part above a half is an object; parts below a thousandth of the picture are dropped. Its confidence is the mean probability
/// of its cells. Numbers outside 0…1 are logits. A depth has the same shape, so that the model needs a name of its class, a head in
/// its sidecar, or "selfie" in its name.
struct ForegroundHead: DetectorHead {
    private let output: OutputTensor
    private let size: PixelSize
    private let model: String
    let classNames: [String]?
    let assumptions: [String]

    let classCount: Int? = 1
    let floatRange = ImageInput.FloatRange.zeroToOne
    let defaultScoreThreshold: Float = 0.5
    let defaultIoUThreshold: Float? = nil
    let summary = "segmentation (a probability for each place)"
    let givesMasks = true

    static let names = [ModelSidecar.Head.foreground]

    /// The smallest share of the grid that a part needs to be an object.
    private static let leastShare = 0.001

    static func find(in files: ModelFiles) throws -> ForegroundHead? {
        let isSelfie = files.name.lowercased().contains("selfie")
        let labels = files.labels.flatMap { $0.isGuess ? nil : $0.list }
        let count = labels.map { $0.startsWithBackground ? $0.names.count - 1 : $0.names.count }
        guard files.sidecar.head == .foreground || count == 1 || isSelfie && labels == nil else { return nil }
        return try byShape(files, isPerson: isSelfie && labels == nil)
    }

    /// The head of a model of which a caller knows that it gives the probability of the foreground; nil if its output has another shape.
    ///
    /// - Parameter isPerson: whether the name of the model says so, and that the foreground is a person.
    static func byShape(_ files: ModelFiles, isPerson: Bool = false) throws -> ForegroundHead? {
        guard files.model.outputs.count == 1, let shape = files.outputShapes.first, shape.first == 1 else { return nil }
        let extents = shape.dropFirst().filter { $0 != 1 }
        guard (3...4).contains(shape.count), extents.count == 2, let height = extents.first, let width = extents.last
        else { return nil }
        let input = try ImageInput(files, floatRange: .zeroToOne).format.size
        let size = PixelSize(width: width, height: height)
        guard size.width >= 8, size.height >= 8, size.width <= 1 << 14, size.height <= 1 << 14,
            size.height * input.width == size.width * input.height
        else { return nil }
        return ForegroundHead(
            output: try OutputTensor(0, of: files),
            size: size,
            model: files.name,
            classNames: isPerson ? ["person"] : nil,
            assumptions: isPerson ? ["The name of the model says that it finds the person of a selfie."] : []
        )
    }

    func candidates(
        of interpreter: any InferenceSession,
        values: inout OutputValues,
        minimumScore: Float
    ) throws -> [Candidate] {
        try values.with(output, of: interpreter) { values in
            guard let grid = try grid(values) else { return [] }
            return grid.parts.compactMap { part in
                let score = part.cells.reduce(0 as Float) { $0 + grid.probability($1) } / Float(part.cells.count)
                guard score >= minimumScore else { return nil }
                return Candidate(part, of: size, score: score, classIndex: 0)
            }
        }
    }

    func masks(
        of candidates: [Candidate],
        _ interpreter: any InferenceSession,
        values: inout OutputValues
    ) throws -> [MaskGrid?] {
        try values.with(output, of: interpreter) { values in
            guard let grid = try grid(values) else { return candidates.map { _ in nil } }
            let parts = Dictionary(uniqueKeysWithValues: grid.parts.map { ($0.first, $0) })
            return candidates.map { candidate in
                guard let first = candidate.row, let part = parts[first] else { return nil }
                // Cells outside keep their values, also those around the part: the edge lies between. Those of other parts are outside.
                let columns = max(part.columns.lowerBound - 1, 0)..<min(part.columns.upperBound + 1, size.width)
                let rows = max(part.rows.lowerBound - 1, 0)..<min(part.rows.upperBound + 1, size.height)
                var cells = rows.flatMap { row in columns.map { min(grid.value(row * size.width + $0), 0) } }
                for cell in part.cells {
                    let (column, row) = (cell % size.width, cell / size.width)
                    cells[(row - rows.lowerBound) * columns.count + column - columns.lowerBound] = grid.value(cell)
                }
                return MaskGrid(size: size, columns: columns, rows: rows, values: cells)
            }
        }
    }

    /// The probability of each place, of the last run.
    ///
    /// - Throws: `OutputError` if the output is not finite.
    func probabilities(_ interpreter: any InferenceSession, values: inout OutputValues) throws -> MaskGrid {
        try values.with(output, of: interpreter) { values in
            let grid = try grid(values)
            return MaskGrid(
                size: size,
                columns: 0..<size.width,
                rows: 0..<size.height,
                values: (0..<size.width * size.height).map { grid?.probability($0) ?? 0 }
            )
        }
    }

    /// The output of a picture.
    private struct Grid {
        let values: UnsafeBufferPointer<Float>
        let areLogits: Bool
        /// The parts of the class.
        var parts: [ConnectedParts.Part] = []

        /// Above 0 inside.
        func value(_ cell: Int) -> Float { areLogits ? values[cell] : values[cell] - 0.5 }

        func probability(_ cell: Int) -> Float { areLogits ? 1 / (1 + exp(-values[cell])) : values[cell] }
    }

    /// The output; nil if its size is wrong.
    private func grid(_ values: UnsafeBufferPointer<Float>) throws -> Grid? {
        guard values.count == size.width * size.height else { return nil }
        guard values.allSatisfy(\.isFinite) else { throw OutputError.notFinite(model: model, tensor: output.name) }
        var grid = Grid(values: values, areLogits: !values.allSatisfy { (0...1).contains($0) })
        let classes = values.indices.map { grid.value($0) > 0 ? 1 : 0 as Int32 }
        let least = max(1, Int(Self.leastShare * Double(size.width * size.height)))
        grid.parts = ConnectedParts.find(in: classes, size, least: least).filter { $0.value == 1 }
        return grid
    }
}

extension ModelSidecar.Head {
    /// `[1, rows, columns, 1]`: the probability of one class for each place, or its logit.
    public static let foreground = Self(rawValue: "foreground")
}

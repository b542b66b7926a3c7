import SightlineImages
import TensorFlowLite

/// Masks that are sums of prototypes: one output has some grids over the whole input, and each box has a coefficient for each of them.
///
/// The logit of a cell is the sum of coefficient × prototype; above 0 the cell is inside. The source is D. Bolya et al., "YOLACT", 2019; the
/// models of Ultralytics for segmentation do the same, with 32 prototypes of a quarter of the input's size.
struct PrototypeMasks: Sendable {
    private let prototypes: OutputTensor
    private let size: PixelSize
    /// Whether the prototypes lie before their rows and columns.
    private let isPlanar: Bool
    /// The number of prototypes, and of coefficients of a box.
    let count: Int
    private let model: String

    /// The largest number of rows and columns of a prototype.
    private static let maximumExtent = 1 << 12

    /// Finds the prototypes among the outputs of a model.
    ///
    /// - Parameters:
    ///   - index: the position of the output with four dimensions.
    ///   - count: the number of coefficients of a box.
    ///   - input: the format of the model's input.
    /// - Returns: nil if the output is none of so many prototypes in the shape of the input.
    init?(output index: Int, count: Int, _ input: InputFormat, of files: ModelFiles) throws(LocalModelError) {
        let shape = files.outputShapes[index]
        guard shape.count == 4, shape[0] == 1, count > 0, [shape[1], shape[3]].contains(count) else { return nil }
        isPlanar = shape[1] == count && (shape[3] != count || input.layout == .nchw)
        size = isPlanar ? PixelSize(width: shape[3], height: shape[2]) : PixelSize(width: shape[2], height: shape[1])
        guard (1...Self.maximumExtent).contains(size.width), (1...Self.maximumExtent).contains(size.height),
            size.width * input.size.height == size.height * input.size.width
        else { return nil }
        prototypes = try OutputTensor(index, of: files)
        self.count = count
        model = files.name
    }

    /// The masks of boxes.
    ///
    /// - Parameters:
    ///   - boxes: the boxes, in fractions of the input.
    ///   - output: the output that has the coefficients of each box.
    ///   - position: returns the position in this output of a coefficient, by the row of its box and its number.
    /// - Throws: `OutputError` if a number is not finite.
    func grids(
        of boxes: [Candidate],
        in output: OutputTensor,
        _ interpreter: any InferenceSession,
        values: inout OutputValues,
        position: (_ row: Int, _ number: Int) -> Int
    ) throws -> [MaskGrid?] {
        let coefficients = try values.with(output, of: interpreter) { values in
            boxes.flatMap { box in (0..<count).map { values[position(box.row ?? 0, $0)] } }
        }
        guard coefficients.allSatisfy(\.isFinite) else {
            throw OutputError.notFinite(model: model, tensor: output.name)
        }
        return try values.with(prototypes, of: interpreter) { prototypes in
            guard prototypes.count == count * size.width * size.height else { return boxes.map { _ in nil } }
            return try boxes.enumerated().map { number, box in
                let factors = coefficients[number * count..<(number + 1) * count]
                guard let columns = Self.cells(box.left, box.right, of: size.width),
                    let rows = Self.cells(box.top, box.bottom, of: size.height)
                else { return nil }
                var logits: [Float] = []
                logits.reserveCapacity(columns.count * rows.count)
                let (step, plane) = isPlanar ? (1, size.width * size.height) : (count, 1)
                for row in rows {
                    for column in columns {
                        var place = (row * size.width + column) * step
                        var logit: Float = 0
                        for factor in factors {
                            logit += factor * prototypes[place]
                            place += plane
                        }
                        guard logit.isFinite else {
                            throw OutputError.notFinite(model: model, tensor: self.prototypes.name)
                        }
                        logits.append(logit)
                    }
                }
                return MaskGrid(size: size, columns: columns, rows: rows, values: logits)
            }
        }
    }

    /// The cells along an axis that a box reaches, and their neighbors, for the interpolation at its edges; nil if there are none.
    private static func cells(_ start: Float, _ end: Float, of count: Int) -> Range<Int>? {
        let (first, last) = (min(max(start, 0), 1) * Float(count), min(max(end, 0), 1) * Float(count))
        let range = max(Int(first) - 1, 0)..<min(Int(last.rounded(.up)) + 1, count)
        return first < last && !range.isEmpty ? range : nil
    }
}

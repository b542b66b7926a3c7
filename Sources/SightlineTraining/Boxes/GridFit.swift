import Foundation
import Sightline
import TensorFlowLite

/// Layers that name the cells of the built-in detector's grids: fitting them, and applying them.
struct GridFit: Sendable {
    let trunk: CellTrunk
    private let matrix: FeatureMatrix
    private let labels: [[Int]]
    let labelCount: Int
    /// The number by which the features of each part are multiplied, so that all parts weigh the same.
    private let factors: [Float]

    init(_ samples: GridSamples, of trunk: CellTrunk, labelCount: Int) {
        (self.trunk, labels, self.labelCount) = (trunk, samples.labels, labelCount)
        factors = Self.factors(samples.features, of: trunk)
        matrix = FeatureMatrix(samples.features.count, columns: trunk.featureCount) { [factors] row in
            Self.values(samples.features[row], of: trunk, factors)
        }
    }

    /// The inverse of the mean length of each part.
    private static func factors(_ rows: [Data], of trunk: CellTrunk) -> [Float] {
        var lengths = [Double](repeating: 0, count: trunk.parts.count)
        for row in rows {
            guard let values = trunk.values(of: row) else { continue }
            var start = 0
            for (number, part) in trunk.parts.enumerated() {
                let square = values[start..<start + part.count].reduce(Float(0)) { $0 + $1 * $1 }
                lengths[number] += Double(square.squareRoot())
                start += part.count
            }
        }
        return lengths.map { $0 > 0 ? Float(Double(rows.count) / $0) : 1 }
    }

    private static func values(_ row: Data, of trunk: CellTrunk, _ factors: [Float]) -> [Float]? {
        guard var values = trunk.values(of: row) else { return nil }
        var place = 0
        for (part, factor) in zip(trunk.parts, factors) {
            for index in place..<place + part.count { values[index] *= factor }
            place += part.count
        }
        return values
    }

    /// Fits a layer to some rows.
    func fitted(
        _ rows: [Int],
        freedom: Double,
        from start: LogisticFit.Layer? = nil,
        _ effort: LogisticFit.Effort = LogisticFit.Effort()
    ) throws -> LogisticFit.Layer {
        let fit = LogisticFit(
            matrix: matrix,
            rows: rows,
            labels: labels,
            importance: [Float](repeating: 1, count: labels.count),
            labelCount: labelCount,
            activation: .softmax
        )
        return try fit.fitted(freedom: freedom, from: start ?? fit.start, effort)
    }

    /// The layer on features as they are.
    func layer(_ fitted: LogisticFit.Layer) -> ClassifierLayer {
        let scales = zip(trunk.parts, factors).flatMap { [Float](repeating: $1 / matrix.scale, count: $0.count) }
        var weights: [Float] = []
        weights.reserveCapacity(labelCount * matrix.columnCount)
        var bias = fitted.bias
        for label in 0..<labelCount {
            var sum = 0.0
            for column in 0..<matrix.columnCount {
                let weight = fitted.weights[label * matrix.stride + column / 8][column % 8]
                weights.append(weight * scales[column])
                sum += Double(weight / matrix.scale) * Double(matrix.means[column])
            }
            bias[label] = Float(Double(bias[label]) - sum)
        }
        return ClassifierLayer(weights: weights, bias: bias, activation: .softmax, range: 0...1)
    }

    /// The probabilities of the labels for all cells of a picture, by some layers.
    func probabilities(_ layers: [LogisticFit.Layer], of cells: GridCells) -> [[[Float]]] {
        let rows = Array(0..<CellTrunk.cellCount)
        let other = FeatureMatrix(rows.count, columns: trunk.featureCount, like: matrix) {
            Self.values(cells.stored($0), of: trunk, factors)
        }
        return layers.map { layer in
            let sums = LayerSums.sums(other, rows, weights: layer.weights, bias: layer.bias)
            return rows.map { row in
                PortableMath.softmax(Array(sums[row * labelCount..<(row + 1) * labelCount])).map { Float($0) }
            }
        }
    }
}

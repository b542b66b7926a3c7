import Foundation
import Sightline
import TensorFlowLite

/// Layers that name the cells of the built-in detector's grids: fitting them, and applying them.
struct GridFit: Sendable {
    let trunk: CellTrunk
    let fit: LogisticFit
    /// The number by which each feature is multiplied, so that all parts of the features weigh the same.
    private let factors: [Float]

    init(_ samples: GridSamples, of trunk: CellTrunk, labelCount: Int) {
        let factors = Self.factors(samples.features, of: trunk)
        (self.trunk, self.factors) = (trunk, factors)
        fit = LogisticFit(
            matrix: FeatureMatrix(samples.features.count, columns: trunk.featureCount) { row in
                Self.values(samples.features[row], of: trunk, factors)
            },
            labels: samples.labels,
            importance: [Float](repeating: 1, count: samples.labels.count),
            labelCount: labelCount,
            activation: .softmax
        )
    }

    /// The inverse of the mean length of each part, for each of its features.
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
        return zip(trunk.parts, lengths).flatMap { part, length in
            [Float](repeating: length > 0 ? Float(Double(rows.count) / length) : 1, count: part.count)
        }
    }

    private static func values(_ row: Data, of trunk: CellTrunk, _ factors: [Float]) -> [Float]? {
        trunk.values(of: row).map { zip($0, factors).map { $0 * $1 } }
    }

    /// Fits a layer to some rows, for features as they are.
    func layer(_ rows: [Int], freedom: Double) throws -> ClassifierLayer {
        let (weights, bias) = fit.unscaled(try fit.fitted(rows, freedom: freedom), factors: factors)
        return ClassifierLayer(weights: weights, bias: bias, activation: .softmax, range: 0...1)
    }

    /// The probabilities of the labels for all cells of a picture, by some layers.
    func probabilities(_ layers: [LogisticFit.Layer], of cells: GridCells) -> [[[Float]]] {
        let rows = Array(0..<CellTrunk.cellCount)
        let other = FeatureMatrix(rows.count, columns: trunk.featureCount, like: fit.matrix) {
            Self.values(cells.stored($0), of: trunk, factors)
        }
        let labelCount = fit.labelCount
        return layers.map { layer in
            let sums = LayerSums.sums(other, rows, weights: layer.weights, bias: layer.bias)
            return rows.map { row in
                PortableMath.softmax(Array(sums[row * labelCount..<(row + 1) * labelCount])).map { Float($0) }
            }
        }
    }
}

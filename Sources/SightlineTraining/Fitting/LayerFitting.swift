import Sightline
import TensorFlowLite

/// Layers for pictures with known features: fitting them, rounding them as a model's file does, and applying them.
struct LayerFitting: Sendable {
    let trunk: ModelTrunk
    let matrix: FeatureMatrix
    /// The labels of each row.
    let labels: [[Int]]
    let labelCount: Int
    let activation: ClassifierLayer.Activation
    /// The importance of each row: labels with few pictures count as much as those with many.
    let importance: [Float]

    init(
        _ matrix: FeatureMatrix,
        of trunk: ModelTrunk,
        labels: [[Int]],
        labelCount: Int,
        severalLabels: Bool
    ) {
        (self.trunk, self.matrix, self.labels, self.labelCount) = (trunk, matrix, labels, labelCount)
        activation = severalLabels ? .logistic : .softmax
        var counts = [Int](repeating: 0, count: labelCount)
        for label in labels.joined() { counts[label] += 1 }
        importance = labels.map { found in
            guard !severalLabels, let label = found.first else { return 1 }
            return Float(labels.count) / Float(labelCount * max(counts[label], 1))
        }
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
            importance: importance,
            labelCount: labelCount,
            activation: activation
        )
        return try fit.fitted(freedom: freedom, from: start ?? fit.start, effort)
    }

    /// The layer on features as they are, with the range of the sums of some rows.
    func layer(_ fitted: LogisticFit.Layer, on rows: [Int]) -> ClassifierLayer {
        var weights: [Float] = []
        weights.reserveCapacity(labelCount * matrix.columnCount)
        var bias = fitted.bias
        for label in 0..<labelCount {
            var sum = 0.0
            for column in 0..<matrix.columnCount {
                let weight = fitted.weights[label * matrix.stride + column / 8][column % 8] / matrix.scale
                weights.append(weight)
                sum += Double(weight) * Double(matrix.means[column])
            }
            bias[label] = Float(Double(bias[label]) - sum)
        }
        return ClassifierLayer(
            weights: weights,
            bias: bias,
            activation: activation,
            range: range(of: LayerSums.sums(matrix, rows, weights: fitted.weights, bias: fitted.bias))
        )
    }

    /// Below this distance from the largest sum, a label's probability hardly matters.
    private static let depth: Float = 9

    /// The sums that matter: those near the largest of each picture, or those at which the logistic function is not yet 0 or 1.
    private func range(of sums: [Float]) -> ClosedRange<Float> {
        guard activation == .softmax else { return -8...8 }
        let largest = stride(from: 0, to: sums.count, by: labelCount).map { sums[$0..<$0 + labelCount].max() ?? 0 }
        let (least, most) = (largest.min() ?? 0, largest.max() ?? 0)
        return (least - Self.depth)...(most + 1)
    }

    /// The probabilities that a model with the layer gives some rows, as precisely as the model computes.
    ///
    /// - Parameter other: The matrix of the rows, with the same means and scale; nil for that of the fit.
    func probabilities(_ layer: ClassifierLayer, of rows: [Int], in other: FeatureMatrix? = nil) -> [[Float]] {
        let matrix = other ?? matrix
        let (stored, step) = layer.stored(after: trunk)
        var weights = [SIMD8<Float>](repeating: SIMD8(), count: labelCount * matrix.stride)
        var bias = stored.bias
        for label in 0..<labelCount {
            var sum = 0.0
            for column in 0..<matrix.columnCount {
                let weight = stored.weights[label * matrix.columnCount + column]
                weights[label * matrix.stride + column / 8][column % 8] = weight * matrix.scale
                sum += Double(weight) * Double(matrix.means[column])
            }
            bias[label] = Float(Double(bias[label]) + sum)
        }
        let sums = LayerSums.sums(matrix, rows, weights: weights, bias: bias)
        return rows.indices.map { position in
            var found = Array(sums[position * labelCount..<(position + 1) * labelCount])
            if let step {
                for label in found.indices {
                    let limited = min(max(found[label], layer.range.lowerBound), layer.range.upperBound)
                    found[label] = (limited / step).rounded() * step
                }
            }
            let probabilities =
                activation == .softmax ? PortableMath.softmax(found) : found.map(PortableMath.logistic)
            return probabilities.map { step == nil ? Float($0) : Float(min(($0 * 256).rounded(), 255) / 256) }
        }
    }
}

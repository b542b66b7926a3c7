import Sightline
import TensorFlowLite

/// Layers for pictures with known features: fitting them, rounding them as a model's file does, and applying them.
struct LayerFitting: Sendable {
    let trunk: ModelTrunk
    /// The fit, in which labels with few pictures count as much as those with many.
    let fit: LogisticFit

    var matrix: FeatureMatrix { fit.matrix }
    /// The labels of each row.
    var labels: [[Int]] { fit.labels }
    var labelCount: Int { fit.labelCount }
    var activation: ClassifierLayer.Activation { fit.activation }

    init(
        _ matrix: FeatureMatrix,
        of trunk: ModelTrunk,
        labels: [[Int]],
        labelCount: Int,
        severalLabels: Bool
    ) {
        self.trunk = trunk
        var counts = [Int](repeating: 0, count: labelCount)
        for label in labels.joined() { counts[label] += 1 }
        fit = LogisticFit(
            matrix: matrix,
            labels: labels,
            importance: labels.map { found in
                guard !severalLabels, let label = found.first else { return 1 }
                return Float(labels.count) / Float(labelCount * max(counts[label], 1))
            },
            labelCount: labelCount,
            activation: severalLabels ? .logistic : .softmax
        )
    }

    /// Fits a layer to some rows, for features as they are.
    func layer(_ rows: [Int], freedom: Double, _ effort: LogisticFit.Effort = LogisticFit.Effort()) throws
        -> ClassifierLayer
    {
        layer(try fit.fitted(rows, freedom: freedom, effort), on: rows)
    }

    /// The layer on features as they are, with the range of the sums of some rows.
    func layer(_ fitted: LogisticFit.Layer, on rows: [Int]) -> ClassifierLayer {
        let (weights, bias) = fit.unscaled(fitted)
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

import Foundation
import TensorFlowLite

/// A logistic regression: the layer with the least mean loss plus a penalty on its weights.
///
/// loss = Σ weight · cross-entropy ÷ Σ weight + |weights|² ÷ (2 · freedom · rows). For labels that exclude each other, the cross-entropy
/// is that of softmax; otherwise the sum of those of each label. The problem is convex, so there is one answer, and L-BFGS finds it from
/// any start.
struct LogisticFit: Sendable {
    let matrix: FeatureMatrix
    /// The labels of each row of the matrix.
    let labels: [[Int]]
    /// The importance of each row of the matrix.
    let importance: [Float]
    let labelCount: Int
    let activation: ClassifierLayer.Activation

    /// The layer on centered and scaled features.
    struct Layer: Sendable {
        var weights: [SIMD8<Float>]
        var bias: [Float]
    }

    /// The largest number of steps, and the change of the loss, relative to it, at which the fit is over.
    struct Effort {
        var steps = 100
        var tolerance = 1e-6
    }

    /// The layer of zeros.
    private var zeros: Layer {
        Layer(
            weights: [SIMD8<Float>](repeating: SIMD8(), count: labelCount * matrix.stride),
            bias: [Float](repeating: 0, count: labelCount)
        )
    }

    /// Fits a layer to some rows.
    ///
    /// - Parameters:
    ///   - freedom: The inverse of the penalty on the weights.
    ///   - start: The layer to begin with; a good one saves steps.
    /// - Throws: `CancellationError` between two steps.
    func fitted(
        _ rows: [Int],
        freedom: Double,
        from start: Layer? = nil,
        _ effort: Effort = Effort()
    ) throws -> Layer {
        var search = LBFGS(at: Self.vector(start ?? zeros))
        let penalty = 1 / (freedom * Double(max(rows.count, 1)))
        let total = max(rows.reduce(0) { $0 + Double(importance[$1]) }, 1e-9)
        try search.minimize(steps: effort.steps, tolerance: effort.tolerance) { point in
            try Task.checkCancellation()
            return value(rows, at: point, penalty: penalty, total: total)
        }
        return layer(search.point)
    }

    /// The weights, one label after another, and the biases of a layer for features that are neither centered nor scaled.
    ///
    /// - Parameter factors: The numbers by which the features of the matrix were multiplied; nil if they were not.
    func unscaled(_ layer: Layer, factors: [Float]? = nil) -> (weights: [Float], bias: [Float]) {
        var weights: [Float] = []
        weights.reserveCapacity(labelCount * matrix.columnCount)
        var bias = layer.bias
        for label in 0..<labelCount {
            var sum = 0.0
            for column in 0..<matrix.columnCount {
                let weight = layer.weights[label * matrix.stride + column / 8][column % 8] / matrix.scale
                weights.append(factors.map { weight * $0[column] } ?? weight)
                sum += Double(weight) * Double(matrix.means[column])
            }
            bias[label] = Float(Double(bias[label]) - sum)
        }
        return (weights, bias)
    }

    /// The mean loss of rows that the layer did not learn from.
    static func loss(_ probabilities: [Float], _ labels: [Int], _ activation: ClassifierLayer.Activation) -> Double {
        switch activation {
        case .softmax: labels.first.map { -PortableMath.log(max(Double(probabilities[$0]), 1e-6)) } ?? 0
        case .logistic:
            probabilities.enumerated().reduce(0) { sum, next in
                let probability = labels.contains(next.offset) ? Double(next.element) : 1 - Double(next.element)
                return sum - PortableMath.log(max(probability, 1e-6))
            }
        }
    }

    // MARK: - The function

    private static func vector(_ layer: Layer) -> [Double] {
        layer.weights.flatMap { eight in (0..<8).map { Double(eight[$0]) } } + layer.bias.map(Double.init)
    }

    private func layer(_ point: [Double]) -> Layer {
        let count = labelCount * matrix.stride
        let weights = (0..<count).map { eight in
            var part = SIMD8<Float>()
            for lane in 0..<8 { part[lane] = Float(point[8 * eight + lane]) }
            return part
        }
        return Layer(weights: weights, bias: point[(8 * count)...].map { Float($0) })
    }

    private func value(
        _ rows: [Int],
        at point: [Double],
        penalty: Double,
        total: Double
    ) -> (value: Double, gradient: [Double]) {
        let layer = layer(point)
        var factors = LayerSums.sums(matrix, rows, weights: layer.weights, bias: layer.bias)
        var loss = 0.0
        var biasGradient = [Double](repeating: 0, count: labelCount)
        for (position, row) in rows.enumerated() {
            let place = position * labelCount
            let sums = Array(factors[place..<place + labelCount])
            let weight = Double(importance[row]) / total
            let known = labels[row]
            var probabilities: [Double]
            switch activation {
            case .softmax:
                probabilities = PortableMath.softmax(sums)
                if let label = known.first {
                    loss -= weight * PortableMath.log(max(probabilities[label], 1e-300))
                    probabilities[label] -= 1
                }
            case .logistic:
                probabilities = sums.map(PortableMath.logistic)
                for label in 0..<labelCount {
                    let isKnown = known.contains(label)
                    loss -=
                        weight
                        * PortableMath.log(max(isKnown ? probabilities[label] : 1 - probabilities[label], 1e-300))
                    if isKnown { probabilities[label] -= 1 }
                }
            }
            for label in 0..<labelCount {
                let factor = weight * probabilities[label]
                biasGradient[label] += factor
                factors[place + label] = Float(factor)
            }
        }
        let combination = LayerSums.combination(matrix, rows, factors: factors, labels: labelCount)
        var gradient = [Double](repeating: 0, count: point.count)
        let count = 8 * combination.count
        for eight in combination.indices {
            for lane in 0..<8 {
                let weight = point[8 * eight + lane]
                gradient[8 * eight + lane] = Double(combination[eight][lane]) + penalty * weight
                loss += penalty * weight * weight / 2
            }
        }
        for label in 0..<labelCount { gradient[count + label] = biasGradient[label] }
        return (loss, gradient)
    }
}

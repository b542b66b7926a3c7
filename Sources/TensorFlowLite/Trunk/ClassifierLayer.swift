/// The last layer of a classifier, in the numbers that a file stores, and the same arithmetic in Swift.
///
/// score = activation(weights · features + bias). Quantized layers round the weights to 8 bits with one scale, and the sums to 256
/// steps in a range.
package struct ClassifierLayer: Sendable {
    /// The function that turns sums into probabilities.
    package enum Activation: Sendable, Hashable {
        /// Probabilities of labels that exclude each other.
        case softmax
        /// A separate probability for each label.
        case logistic
    }

    /// The weights of each label in turn.
    package let weights: [Float]
    /// A number for each label.
    package let bias: [Float]
    package let activation: Activation
    /// The least and the greatest sum that matters.
    package let range: ClosedRange<Float>

    /// - Parameters:
    ///   - weights: A weight for each feature, for each label in turn.
    ///   - bias: A number for each label.
    ///   - range: The least and the greatest sum that matters; sums outside of it become its ends in a quantized layer. It is
    ///     widened so that it contains 0, because kernels hold the place of 0 in a byte.
    package init(weights: [Float], bias: [Float], activation: Activation, range: ClosedRange<Float>) {
        (self.weights, self.bias, self.activation) = (weights, bias, activation)
        self.range = min(range.lowerBound, 0)...max(range.upperBound, 0.01)
    }

    /// The layer as a file with 8-bit features stores it.
    struct Quantized {
        let weights: [UInt8]
        let weightScale: Float
        let weightZeroPoint: Int
        let bias: [Int32]
        let sumScale: Float
        let sumZeroPoint: Int
    }

    /// The layer for features of a type with a scale.
    ///
    /// uint8 weights have any zero point, int8 weights have 0, as the kernels demand.
    func quantized(features: QuantizationParameters, isSigned: Bool) -> Quantized {
        let least = min(weights.min() ?? 0, 0)
        let most = max(weights.max() ?? 0, 0)
        let scale = max(isSigned ? max(-least, most) / 127 : (most - least) / 255, 1e-9)
        let zeroPoint = isSigned ? 0 : Int((-least / scale).rounded())
        let limits: ClosedRange<Float> = isSigned ? -127...127 : 0...255
        let stored = weights.map { weight in
            let value = min(max((weight / scale).rounded() + Float(zeroPoint), limits.lowerBound), limits.upperBound)
            return isSigned ? UInt8(bitPattern: Int8(value)) : UInt8(value)
        }
        let biasScale = Double(features.scale * scale)
        let sumScale = (range.upperBound - range.lowerBound) / 255
        return Quantized(
            weights: stored,
            weightScale: scale,
            weightZeroPoint: zeroPoint,
            bias: bias.map { Int32(clamping: Int64((Double($0) / biasScale).rounded())) },
            sumScale: sumScale,
            sumZeroPoint: Int((-range.lowerBound / sumScale).rounded()) - (isSigned ? 128 : 0)
        )
    }
}

extension ClassifierLayer {
    /// The layer with the rounded weights that a model written from a trunk has, and the steps of its sums.
    ///
    /// - Returns: The layer, and the size of a step of its sums and of its probabilities; nil for a model that computes with floats.
    package func stored(after trunk: ModelTrunk) -> (layer: ClassifierLayer, step: Float?) {
        guard let features = trunk.quantizedFeatures else { return (self, nil) }
        let stored = quantized(features: features.quantization, isSigned: features.isSigned)
        let weights = stored.weights.map { byte in
            stored.weightScale
                * Float((features.isSigned ? Int(Int8(bitPattern: byte)) : Int(byte)) - stored.weightZeroPoint)
        }
        let biasScale = features.quantization.scale * stored.weightScale
        let bias = stored.bias.map { Float($0) * biasScale }
        return (
            ClassifierLayer(weights: weights, bias: bias, activation: activation, range: range), stored.sumScale
        )
    }
}

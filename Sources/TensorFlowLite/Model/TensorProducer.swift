/// The operator that computes an output of a model.
///
/// It identifies a tensor if the tensor's name does not: the first output of `TFLite_Detection_PostProcess` always
/// holds boxes.
public struct TensorProducer: Sendable, Hashable {
    /// The operator's name, as in ``OperatorDescription``.
    public let operatorName: String
    /// The tensor's position among the operator's outputs.
    public let position: Int
    /// The shapes of the operator's inputs; empty for an omitted input.
    public let inputShapes: [[Int]]
    /// The name of the operator that computed the values: this operator, or an earlier operator if this operator only changes the
    /// shape or the type.
    public let valueOperatorName: String
    /// The name of the operator that gave the values their range, such as `SOFTMAX` or `FULLY_CONNECTED`: this operator, or an earlier
    /// operator if all later ones only add, average, select or arrange values.
    public let rangeOperatorName: String
    /// The values that the output can have because it is stored in 8-bit integers, or was on its way from ``valueOperatorName``; nil if it
    /// was not.
    public let storedRange: ClosedRange<Float>?

    package init(
        operatorName: String,
        position: Int,
        inputShapes: [[Int]],
        valueOperatorName: String,
        rangeOperatorName: String,
        storedRange: ClosedRange<Float>?
    ) {
        self.operatorName = operatorName
        self.position = position
        self.inputShapes = inputShapes
        self.valueOperatorName = valueOperatorName
        self.rangeOperatorName = rangeOperatorName
        self.storedRange = storedRange
    }
}

extension ModelGraph.Subgraph {
    /// Operators that keep the values and change their shape or type.
    private static let forwarding: Set = ["CAST", "DEQUANTIZE", "EXPAND_DIMS", "QUANTIZE", "RESHAPE", "SQUEEZE"]

    /// Operators that add, average, select or arrange values.
    private static let combining = forwarding.union([
        "ADD", "AVERAGE_POOL_2D", "CONCATENATION", "GATHER", "MAXIMUM", "MAX_POOL_2D", "MEAN", "PACK", "PAD", "PADV2",
        "REDUCE_MAX", "REVERSE_V2", "SLICE", "SPLIT", "SPLIT_V", "STRIDED_SLICE", "SUB", "TRANSPOSE", "UNPACK",
    ])

    /// The operator that computes a tensor; nil for inputs and constants.
    func producer(of tensor: Int, codes: [ModelGraph.OperatorCode]) -> TensorProducer? {
        guard let node = node(for: tensor), let position = node.outputs.firstIndex(of: tensor) else { return nil }
        var source = node
        var storedRange = tensors[tensor].storedRange
        // The operators of a sound model form no circle, but those of a damaged model may.
        for _ in 0..<8 where Self.forwarding.contains(codes[source.code].name) {
            guard let input = source.inputs.first, let previous = self.node(for: input) else { break }
            if storedRange == nil, tensors.indices.contains(input) { storedRange = tensors[input].storedRange }
            source = previous
        }
        return TensorProducer(
            operatorName: codes[node.code].name,
            position: position,
            inputShapes: node.inputs.map { tensors.indices.contains($0) ? tensors[$0].shape : [] },
            valueOperatorName: codes[source.code].name,
            rangeOperatorName: rangeOperator(of: source, codes),
            storedRange: storedRange
        )
    }

    /// The operator before all that only combine values.
    private func rangeOperator(of node: ModelGraph.OperatorNode, _ codes: [ModelGraph.OperatorCode]) -> String {
        var source = node
        for _ in 0..<32 {
            // A constant, such as a bias, has no operator.
            let earlier = source.inputs.compactMap { self.node(for: $0) }
            let name = codes[source.code].name
            let isScaling = ["DIV", "MUL"].contains(name) && earlier.count == 1
            guard Self.combining.contains(name) || isScaling, let previous = earlier.first else { break }
            source = previous
        }
        return codes[source.code].name
    }

    private func node(for tensor: Int) -> ModelGraph.OperatorNode? {
        operators.first { $0.outputs.contains(tensor) }
    }
}

extension ModelGraph.TensorNode {
    /// The values that 8-bit integers can stand for; nil for other types, and without a scale.
    fileprivate var storedRange: ClosedRange<Float>? {
        guard let quantization, quantization.scale.isFinite, quantization.scale > 0 else { return nil }
        let integers: ClosedRange<Float>
        switch type.dataType {
        case .uInt8: integers = 0...255
        case .int8: integers = -128...127
        default: return nil
        }
        let zero = Float(quantization.zeroPoint)
        return quantization.scale * (integers.lowerBound - zero)...quantization.scale * (integers.upperBound - zero)
    }
}

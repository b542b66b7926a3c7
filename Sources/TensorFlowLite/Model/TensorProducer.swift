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
}

extension ModelGraph.Subgraph {
    /// Operators that keep the values and change their shape or type.
    private static let forwarding: Set = ["CAST", "DEQUANTIZE", "EXPAND_DIMS", "QUANTIZE", "RESHAPE", "SQUEEZE"]

    /// The operator that computes a tensor; nil for inputs and constants.
    func producer(of tensor: Int, codes: [ModelGraph.OperatorCode]) -> TensorProducer? {
        guard let node = node(for: tensor), let position = node.outputs.firstIndex(of: tensor) else { return nil }
        var source = node
        // The operators of a sound model form no circle, but those of a damaged model may.
        for _ in 0..<8 where Self.forwarding.contains(codes[source.code].name) {
            guard let input = source.inputs.first, let previous = self.node(for: input) else { break }
            source = previous
        }
        return TensorProducer(
            operatorName: codes[node.code].name,
            position: position,
            inputShapes: node.inputs.map { tensors.indices.contains($0) ? tensors[$0].shape : [] },
            valueOperatorName: codes[source.code].name
        )
    }

    private func node(for tensor: Int) -> ModelGraph.OperatorNode? {
        operators.first { $0.outputs.contains(tensor) }
    }
}

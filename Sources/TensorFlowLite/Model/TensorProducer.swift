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
}

extension ModelGraph.Subgraph {
    /// The operator that computes a tensor; nil for inputs and constants.
    func producer(of tensor: Int, codes: [ModelGraph.OperatorCode]) -> TensorProducer? {
        for node in operators {
            guard let position = node.outputs.firstIndex(of: tensor) else { continue }
            return TensorProducer(
                operatorName: codes[node.code].name,
                position: position,
                inputShapes: node.inputs.map { tensors.indices.contains($0) ? tensors[$0].shape : [] }
            )
        }
        return nil
    }
}

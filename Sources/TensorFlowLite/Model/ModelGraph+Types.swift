/// The types that tensors have when the model runs.
extension ModelGraph {
    /// The subgraph with the types and sizes that its intermediate tensors have when it runs: some kernels give their output
    /// the type of their inputs, whatever the file says.
    ///
    /// Outputs of the model keep what the file says, since their memory is made for it.
    func retyped(_ subgraph: Subgraph) -> Subgraph {
        var subgraph = subgraph
        let outputs = Set(subgraph.outputs)
        for node in subgraph.operators {
            guard OperatorRule.rule(for: operatorCodes[node.code].name)?.givesOutputItsType == true,
                node.inputs.count == 2, let second = node.inputs.last, second >= 0, let output = node.outputs.first,
                !outputs.contains(output)
            else { continue }
            let type = subgraph.tensors[second].type
            guard type != subgraph.tensors[output].type, let bits = type.bits,
                let byteCount = TensorNode.byteCount(subgraph.tensors[output].shape, bits: bits)
            else { continue }
            subgraph.tensors[output].type = type
            subgraph.tensors[output].byteCount = byteCount
        }
        return subgraph
    }
}

extension ModelGraph.TensorNode {
    /// The bytes that a tensor takes; nil if they are too many to count.
    static func byteCount(_ shape: [Int], bits: Int) -> Int? {
        guard let elements = Tensor.Shape(shape).elementCount else { return nil }
        let (allBits, overflow) = elements.multipliedReportingOverflow(by: bits)
        return overflow || allBits > Int.max - 8 ? nil : (allBits + 7) / 8
    }
}

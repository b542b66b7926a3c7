/// The types of tensors when the model runs.
extension ModelGraph {
    /// The subgraph with the run-time types and sizes of its intermediate tensors: some kernels give their output the
    /// type of their inputs and ignore the file.
    ///
    /// Outputs of the model keep the types in the file, because their memory is allocated for these.
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
    /// The size of a tensor in bytes; nil if it overflows.
    static func byteCount(_ shape: [Int], bits: Int) -> Int? {
        guard let elements = Tensor.Shape(shape).elementCount else { return nil }
        let (allBits, overflow) = elements.multipliedReportingOverflow(by: bits)
        return overflow || allBits > Int.max - 8 ? nil : (allBits + 7) / 8
    }
}

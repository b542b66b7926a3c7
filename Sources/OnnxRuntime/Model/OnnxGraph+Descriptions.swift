import TensorFlowLite

extension OnnxGraph {
    /// The tensors whose values are in other files.
    var externalTensors: [OnnxTensor] {
        initializers.values.filter { $0.external != nil }
            + nodes.flatMap { node in
                (node.tensor.map { $0.external == nil ? [] : [$0] } ?? []) + node.graphs.flatMap(\.externalTensors)
            }
    }

    /// The operators in the graph and in its branches, each with its number of uses, most used first.
    var operatorDescriptions: [OperatorDescription] {
        var counts: [String: Int] = [:]
        count(into: &counts)
        return counts.map { OperatorDescription(name: $0, isCustom: $0.contains("."), count: $1) }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }

    private func count(into counts: inout [String: Int]) {
        for node in nodes {
            counts[node.fullName, default: 0] += 1
            for graph in node.graphs { graph.count(into: &counts) }
        }
    }

    /// Operators that keep the values and change their shape or type.
    private static let forwarding: Set = [
        "Cast", "DequantizeLinear", "Dropout", "Flatten", "Identity", "QuantizeLinear", "Reshape", "Squeeze",
        "Unsqueeze",
    ]

    /// Operators that add, average, select or arrange values.
    private static let combining = forwarding.union([
        "Add", "AveragePool", "Concat", "Gather", "GlobalAveragePool", "Max", "MaxPool", "Pad", "ReduceMax",
        "ReduceMean", "Slice", "Split", "Sub", "Transpose",
    ])

    /// The operator that computes a tensor; nil for inputs and constants.
    func producer(of tensor: String) -> TensorProducer? {
        guard let node = node(for: tensor), let position = node.outputs.firstIndex(of: tensor) else { return nil }
        var source = node
        // The operators of a sound model form no circle, but those of a damaged model may.
        for _ in 0..<8 where Self.forwarding.contains(source.operatorName) {
            guard let previous = source.inputs.first.flatMap(self.node) else { break }
            source = previous
        }
        var range = source
        for _ in 0..<32 {
            let earlier = range.inputs.compactMap(self.node)
            let isScaling = ["Div", "Mul"].contains(range.operatorName) && earlier.count == 1
            guard Self.combining.contains(range.operatorName) || isScaling, let previous = earlier.first else { break }
            range = previous
        }
        return TensorProducer(
            operatorName: node.fullName,
            position: position,
            inputShapes: [],
            valueOperatorName: source.fullName,
            rangeOperatorName: range.fullName,
            storedRange: nil
        )
    }

    /// The operator with a tensor among its outputs; constants have none.
    private func node(for tensor: String) -> OnnxNode? {
        nodes.last { $0.outputs.contains(tensor) && $0.operatorName != "Constant" }
    }
}

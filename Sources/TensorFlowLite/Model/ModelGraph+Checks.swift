/// Checks between reading a file and passing it to the runtime. The runtime verifies that the file is a well-formed
/// FlatBuffer. It does not verify the meaning, so a malicious file can make it crash or run forever.
extension ModelGraph {
    /// Throws the first fault that the runtime could not handle.
    ///
    /// `unsupported` comes last: a model that causes it is sound and may run elsewhere.
    func check(limits: ModelLimits) throws(ModelError) {
        for (index, subgraph) in subgraphs.enumerated() {
            try checkOrder(of: subgraph, index)
            try checkEnds(of: subgraph, index)
            let subgraph = retyped(subgraph)
            for tensor in subgraph.tensors { try check(tensor, limits: limits) }
            try checkOperators(of: subgraph, index, limits: limits)
            try checkMemory(of: subgraph, index, limits: limits)
        }
        try checkSignatures()
        if let limitation = firstLimitation { throw .unsupported(limitation) }
    }

    private func check(_ tensor: TensorNode, limits: ModelLimits) throws(ModelError) {
        guard tensor.constant == nil, tensor.byteCount > limits.maximumTensorBytes else { return }
        throw .tooLarge(what: "tensor \"\(tensor.name)\"", bytes: tensor.byteCount, limit: limits.maximumTensorBytes)
    }

    /// Checks that the tensors that exist at the same time fit the limit. A tensor exists from the operator that writes
    /// it to the last operator that reads it; inputs and outputs exist all the time.
    private func checkMemory(of subgraph: Subgraph, _ index: Int, limits: ModelLimits) throws(ModelError) {
        var lastUse = [Int](repeating: -1, count: subgraph.tensors.count)
        for (position, node) in subgraph.operators.enumerated() {
            for input in node.inputs where input >= 0 { lastUse[input] = position }
        }
        for tensor in subgraph.inputs + subgraph.outputs { lastUse[tensor] = subgraph.operators.count }
        var bytes = 0
        // Each size is within the limit for a single tensor, but the sum may overflow.
        func add(_ tensor: Int) throws(ModelError) {
            guard subgraph.tensors[tensor].constant == nil else { return }
            let (sum, overflow) = bytes.addingReportingOverflow(subgraph.tensors[tensor].byteCount)
            bytes = overflow ? Int.max : sum
            guard bytes <= limits.maximumTotalBytes, !overflow else {
                throw .tooLarge(what: "tensors together", bytes: bytes, limit: limits.maximumTotalBytes)
            }
        }
        for input in subgraph.inputs { try add(input) }
        for (position, node) in subgraph.operators.enumerated() {
            for output in node.outputs { try add(output) }
            for input in Set(node.inputs) where input >= 0 && lastUse[input] == position {
                if subgraph.tensors[input].constant == nil { bytes -= subgraph.tensors[input].byteCount }
            }
        }
    }

    /// Checks that every operator reads only constants, inputs and computed tensors, and that no two operators write a
    /// tensor.
    private func checkOrder(of subgraph: Subgraph, _ index: Int) throws(ModelError) {
        // A variable has a value from the start.
        var isKnown = subgraph.tensors.map { $0.constant != nil || $0.isVariable }
        for input in subgraph.inputs {
            guard !isKnown[input] else {
                throw .corrupted(reason: "input tensor \(input) of subgraph \(index) is constant or listed twice")
            }
            isKnown[input] = true
        }
        for (position, node) in subgraph.operators.enumerated() {
            let name = operatorCodes[node.code].name
            for input in node.inputs where input >= 0 && !isKnown[input] {
                throw .corrupted(
                    reason: "operator \(position) (\(name)) of subgraph \(index) reads tensor \(input) "
                        + "before anything computes it"
                )
            }
            for output in node.outputs {
                guard !isKnown[output] else {
                    throw .corrupted(
                        reason: "operator \(position) (\(name)) of subgraph \(index) writes tensor \(output), "
                            + "which is constant, an input or computed before"
                    )
                }
                isKnown[output] = true
            }
        }
        for output in subgraph.outputs where !isKnown[output] {
            throw .corrupted(reason: "nothing computes output tensor \(output) of subgraph \(index)")
        }
    }

    /// The first output whose size depends on the values of an input, if there is one. Each operator passes on to its
    /// outputs whether the runtime can compute their sizes in advance.
    func openOutput(of subgraph: Subgraph) -> TensorNode? {
        var isOpen = [Bool](repeating: false, count: subgraph.tensors.count)
        for node in subgraph.operators {
            let name = operatorCodes[node.code].name
            // A reshape to a constant shape has that size for every input.
            let closes = name == "RESHAPE" && node.inputs.dropFirst().allSatisfy { $0 < 0 || !isOpen[$0] }
            guard
                BuiltinOperator.dataDependentSize.contains(name)
                    || node.inputs.contains(where: { $0 >= 0 && isOpen[$0] }),
                !closes
            else { continue }
            for output in node.outputs { isOpen[output] = true }
        }
        return subgraph.outputs.first { isOpen[$0] }.map { subgraph.tensors[$0] }
    }

    /// Checks that inputs and outputs have names, all different.
    private func checkEnds(of subgraph: Subgraph, _ index: Int) throws(ModelError) {
        for (side, indices) in [("input", subgraph.inputs), ("output", subgraph.outputs)] {
            try checkNames(indices.map { subgraph.tensors[$0].name }, "\(side) of subgraph \(index)")
        }
    }

    private func checkNames(_ names: [String], _ what: String) throws(ModelError) {
        var seen: Set<String> = []
        for name in names {
            guard !name.isEmpty, !name.contains("\0") else {
                throw .corrupted(reason: "an \(what) has no name")
            }
            guard seen.insert(name).inserted else {
                throw .corrupted(reason: "the name \"\(name)\" is used twice for an \(what)")
            }
        }
    }

    private func checkSignatures() throws(ModelError) {
        try checkNames(signatures.map(\.key), "signature")
        for signature in signatures {
            guard subgraphs.indices.contains(signature.subgraph) else {
                throw .corrupted(
                    reason:
                        "signature \"\(signature.key)\" is about subgraph \(signature.subgraph) of \(subgraphs.count)"
                )
            }
            let subgraph = subgraphs[signature.subgraph]
            for (side, entries, indices) in [
                ("input", signature.inputs, subgraph.inputs), ("output", signature.outputs, subgraph.outputs),
            ] {
                try checkNames(entries.map(\.name), "\(side) of signature \"\(signature.key)\"")
                guard entries.map(\.tensor).sorted() == indices.sorted() else {
                    throw .corrupted(
                        reason: "the \(side)s of signature \"\(signature.key)\" are not those of its subgraph"
                    )
                }
            }
        }
    }
}

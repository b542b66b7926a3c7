import TensorFlowLite

/// Everything that must be true of a file before the runtime sees a byte of it.
extension OnnxFile {
    /// Checks the file.
    ///
    /// - Throws: `ModelError`: `corrupted`, `unsupported` or `tooLarge`.
    func check(limits: ModelLimits) throws(ModelError) {
        guard (3...100).contains(irVersion) else {
            throw .corrupted(reason: "its format has the version \(irVersion)")
        }
        if let trainingPart { throw .unsupported(.training(name: trainingPart)) }
        guard functionCount == 0 else {
            throw .unsupported(.unknownOperator(name: "of a function that the model defines for itself"))
        }
        guard !operatorSets.isEmpty else { throw .corrupted(reason: "it does not state the versions of its operators") }
        for value in graph.inputs where graph.initializers[value.name] == nil { try value.checkAsEnd(limits) }
        for value in graph.outputs { try value.checkAsEnd(limits) }
        guard !graph.outputs.isEmpty else { throw .corrupted(reason: "it has no outputs") }
        try graph.check(limits: limits, constants: [:])
    }
}

extension OnnxGraph {
    /// The sets of operators that the runtime has, by domain.
    private static let domains: Set = ["", "ai.onnx", "ai.onnx.ml", "com.microsoft"]
    private static let trainingDomains: Set = ["ai.onnx.training", "ai.onnx.preview.training"]
    /// Operators that run a graph again and again, or until something happens.
    private static let loops: Set = ["Loop", "Scan"]
    /// Operators on texts, on files and on coded pictures, which a network for pictures does not need.
    private static let refused: Set = [
        "EPContext", "ImageDecoder", "LabelEncoder", "RegexFullMatch", "StringConcat", "StringNormalizer",
        "StringSplit", "TfIdfVectorizer", "Tokenizer",
    ]

    fileprivate func check(limits: ModelLimits, constants outer: [String: OnnxTensor]) throws(ModelError) {
        var constants = outer.merging(initializers) { $1 }
        for tensor in initializers.values { try tensor.check(limits) }
        for value in values { try value.checkSize(limits) }
        for node in nodes {
            try node.checkKind()
            if let tensor = node.tensor {
                try tensor.check(limits)
                if node.operatorName == "Constant", let output = node.outputs.first { constants[output] = tensor }
            }
            try node.checkSize(limits, constants)
            for graph in node.graphs { try graph.check(limits: limits, constants: constants) }
        }
    }
}

extension OnnxNode {
    fileprivate func checkKind() throws(ModelError) {
        if OnnxGraph.isForTraining(domain) { throw .unsupported(.training(name: "the operator \(fullName)")) }
        guard OnnxGraph.isKnown(domain), !OnnxGraph.isRefused(operatorName) else {
            throw .unsupported(.unknownOperator(name: fullName))
        }
        // Branches end; loops and searches may not.
        guard !OnnxGraph.isLoop(operatorName), graphs.isEmpty || (isStandard && operatorName == "If") else {
            throw .unsupported(.controlFlow(operatorName: fullName))
        }
    }
}

extension OnnxGraph {
    fileprivate static func isForTraining(_ domain: String) -> Bool { trainingDomains.contains(domain) }
    fileprivate static func isKnown(_ domain: String) -> Bool { domains.contains(domain) }
    fileprivate static func isRefused(_ name: String) -> Bool { refused.contains(name) }
    fileprivate static func isLoop(_ name: String) -> Bool { loops.contains(name) }
}

// MARK: - Sizes

extension OnnxNode {
    /// Checks the size of what an operator makes of constants, since it may be far larger than the file. Sizes that depend on inputs are
    /// bounded by the runtime's memory.
    fileprivate func checkSize(_ limits: ModelLimits, _ constants: [String: OnnxTensor]) throws(ModelError) {
        func constant(_ index: Int) -> OnnxTensor? {
            inputs.indices.contains(index) ? constants[inputs[index]] : nil
        }
        func integers(_ index: Int) -> [Int64]? { constant(index)?.integers }
        func reals(_ index: Int) -> [Float]? { constant(index)?.reals }
        func elements(_ index: Int) -> Double { constant(index)?.shape.reduce(1) { $0 * Double($1) } ?? 1 }
        func product(_ factors: [Int64]) -> Double { factors.reduce(1) { $0 * max(abs(Double($1)), 1) } }
        var count = 0.0
        switch operatorName {
        case "ConstantOfShape": count = product(integers(0) ?? [])
        case "Expand": count = product(integers(1) ?? [])
        case "Tile": count = elements(0) * product(integers(1) ?? [])
        case "OneHot": count = elements(0) * product(integers(1) ?? [])
        case "RandomNormal", "RandomUniform": count = product(self.integers["shape"] ?? [])
        case "Range":
            guard let start = integers(0)?.first, let end = integers(1)?.first, let step = integers(2)?.first, step != 0
            else { break }
            count = (Double(end) - Double(start)) / Double(step)
        case "Resize", "Upsample":
            for index in 1..<max(inputs.count, 2) {
                // Scales are real, sizes are integers.
                count = max(count, product(integers(index) ?? []))
                let scale = (reals(index) ?? []).reduce(1.0) { $0 * max(Double($1), 1) }
                count = max(count, scale.isFinite ? scale : .infinity)
            }
        case "Pad": count = elements(0) * Self.growth(integers(1) ?? self.integers["pads"] ?? [])
        default: count = Self.growth(self.integers["pads"] ?? [])
        }
        let limit = limits.maximumTensorBytes
        guard count * 4 <= Double(limit) else {
            throw .tooLarge(
                what: "tensor \"\(outputs.first?.prefix(100) ?? "")\" of the operator \(fullName)",
                bytes: count * 4 < 1e18 ? Int(count * 4) : .max,
                limit: limit
            )
        }
    }

    /// The largest factor by which padding may enlarge a single element; pads of networks are a few pixels.
    private static let largestGrowth = 65_536.0

    /// The factor by which padding of a single element in each dimension enlarges a tensor; infinite beyond all that networks need.
    private static func growth(_ pads: [Int64]) -> Double {
        let half = pads.count / 2
        let factor = (0..<half).reduce(1.0) { $0 * (1 + abs(Double(pads[$1])) + abs(Double(pads[$1 + half]))) }
        return factor > largestGrowth ? .infinity : factor
    }
}

extension OnnxTensor {
    /// The number of elements; nil if it has no bound.
    var elementCount: Int? {
        var count = 1
        for extent in shape {
            let (product, overflow) = count.multipliedReportingOverflow(by: extent)
            if overflow { return nil }
            count = product
        }
        return count
    }

    fileprivate func check(_ limits: ModelLimits) throws(ModelError) {
        let shown = "\"\(name.prefix(100))\""
        if type == .string { throw .unsupported(.elementType(tensor: name, type: "string")) }
        guard shape.count <= 32 else { throw .unsupported(.rank(tensor: name, rank: shape.count)) }
        guard let elementCount, let byteCount = type.byteCount(of: elementCount) else {
            throw .corrupted(reason: "the tensor \(shown) has an impossible size or type")
        }
        if let rawByteCount, external == nil, rawByteCount != byteCount {
            throw .corrupted(
                reason: "the tensor \(shown) has \(rawByteCount) bytes, but its shape needs \(byteCount)"
            )
        }
        guard byteCount <= limits.maximumTensorBytes else {
            throw .tooLarge(what: "tensor \(shown)", bytes: byteCount, limit: limits.maximumTensorBytes)
        }
    }
}

extension OnnxValue {
    /// Checks an input or output.
    fileprivate func checkAsEnd(_ limits: ModelLimits) throws(ModelError) {
        if let otherKind { throw .unsupported(.elementType(tensor: name, type: otherKind)) }
        guard type.dataType != nil else { throw .unsupported(.elementType(tensor: name, type: "\(type)")) }
        guard (shape?.count ?? 0) <= 8 else { throw .unsupported(.rank(tensor: name, rank: shape?.count ?? 0)) }
        try checkSize(limits)
    }

    fileprivate func checkSize(_ limits: ModelLimits) throws(ModelError) {
        let count = (shape ?? []).reduce(1.0) { product, extent in
            if case .fixed(let number) = extent { product * Double(number) } else { product }
        }
        let bytes = count * Double(type.bits ?? 8) / 8
        guard bytes <= Double(limits.maximumTensorBytes) else {
            throw .tooLarge(
                what: "tensor \"\(name.prefix(100))\"",
                bytes: bytes < 1e18 ? Int(bytes) : .max,
                limit: limits.maximumTensorBytes
            )
        }
    }
}

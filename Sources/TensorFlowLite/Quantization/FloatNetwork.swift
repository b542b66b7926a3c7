/// The main subgraph of a float model, in a form that can be changed and written to a new file.
///
/// Constants of float16 behind a `DEQUANTIZE` become float32, so that every layer has its weights at hand.
struct FloatNetwork {
    struct Tensor {
        var name: String
        var type: ElementType
        var shape: [Int]
        /// The dimensions with −1 for open ones; nil if none is open.
        var openShape: [Int]?
        /// Whether the file says that the shape is known even if it is empty.
        var hasRank = false
        var constant: Constant?
        var scales: TensorScales?

        var elementCount: Int { shape.reduce(1, *) }
        /// Whether an operator computes the tensor from the inputs as float32.
        var isComputedFloat: Bool { constant == nil && type == .float32 }
    }

    /// The data of a constant tensor.
    enum Constant {
        /// Bytes of the original file.
        case file(Range<Int>)
        case bytes([UInt8])
    }

    struct Operator {
        var code: Code
        /// Tensor indices; −1 stands for an omitted input.
        var inputs: [Int]
        var outputs: [Int]
        /// The number of the options in the schema's union, and their table.
        var options: (type: Int, node: FlatBufferNode)?
        /// The schema's number of the order of a fully connected layer's weights; 0 for the usual order.
        var shuffling = 0
        /// The schema's number of the activation function of a convolution; 0 for none.
        var fusedActivation = 0
        /// The options of a custom operator.
        var customOptions: [UInt8]?

        var name: String { code.name }
    }

    struct Code: Hashable {
        let builtin: Int
        var version: Int
        /// The schema's name, or the custom code.
        let name: String
    }

    var tensors: [Tensor]
    var operators: [Operator]
    let inputs: [Int]
    let outputs: [Int]

    /// Adds a tensor.
    ///
    /// - Returns: Its index.
    mutating func add(_ tensor: Tensor) -> Int {
        tensors.append(tensor)
        return tensors.count - 1
    }

    /// The operators that read each tensor, and the operator that computes it.
    func links() -> Links {
        var links = Links(
            consumers: [[Int]](repeating: [], count: tensors.count),
            producers: [Int?](repeating: nil, count: tensors.count)
        )
        for (position, operation) in operators.enumerated() {
            for output in operation.outputs { links.producers[output] = position }
            for input in Set(operation.inputs) where input >= 0 { links.consumers[input].append(position) }
        }
        return links
    }

    struct Links {
        var consumers: [[Int]]
        var producers: [Int?]
    }
}

extension FloatNetwork {
    /// Reads a checked model.
    ///
    /// - Throws: `ModelQuantizerError.layout` or a `FlatBufferError`.
    init(_ graph: ModelGraph, in file: FlatBuffer) throws {
        guard graph.subgraphs.count == 1, let main = graph.subgraphs.first else {
            throw ModelQuantizerError.layout(reason: "it has \(graph.subgraphs.count) subgraphs")
        }
        let root = try file.root()
        let subgraph = try root.tables(2).table(at: 0)
        let tensorTables = try subgraph.tables(0)
        tensors = try zip(0..., main.tensors).map { index, node in
            try Tensor(node, try tensorTables.table(at: index))
        }
        let codeTables = try root.tables(1)
        let codes = try zip(0..., graph.operatorCodes).map { index, code in
            let table = try codeTables.table(at: index)
            return Code(
                builtin: max(Int(try table.integer(0, default: Int8(0))), Int(try table.integer(3, default: Int32(0)))),
                version: Int(try table.integer(2, default: Int32(1))),
                name: code.name
            )
        }
        let operatorTables = try subgraph.tables(3)
        operators = try zip(0..., main.operators).map { index, node in
            let code = codes[node.code]
            guard !BuiltinOperator.controlFlow.contains(code.name), !BuiltinOperator.stateful.contains(code.name) else {
                throw ModelQuantizerError.layout(reason: "its operator \(code.name) cannot be copied")
            }
            return try Operator(node, code, try operatorTables.table(at: index))
        }
        (inputs, outputs) = (main.inputs, main.outputs)
        try foldHalves(file)
        try refuseQuantized()
    }

    /// Turns each float16 constant behind a `DEQUANTIZE` into a float32 constant.
    private mutating func foldHalves(_ file: FlatBuffer) throws {
        let ends = Set(outputs)
        var kept: [Operator] = []
        for operation in operators {
            guard operation.name == "DEQUANTIZE", let input = operation.inputs.first, input >= 0,
                let output = operation.outputs.first, !ends.contains(output), tensors[input].type == .float16,
                let constant = tensors[input].constant
            else {
                kept.append(operation)
                continue
            }
            let halves = try bytes(of: constant, in: file)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(2 * halves.count)
            for place in stride(from: 0, to: halves.count - 1, by: 2) {
                let value = Float(half: UInt16(halves[place]) | UInt16(halves[place + 1]) << 8)
                withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 }
            }
            tensors[output].constant = .bytes(bytes)
        }
        operators = kept
    }

    /// Throws if the model has 8-bit weights or activations already.
    private func refuseQuantized() throws(ModelQuantizerError) {
        var layers = 0
        for operation in operators {
            guard let rule = QuantizationRule.rule(for: operation.name), let weights = rule.weights,
                operation.inputs.indices.contains(weights.input), operation.inputs[weights.input] >= 0
            else { continue }
            layers += 1
            let type = tensors[operation.inputs[weights.input]].type
            guard ![.uInt8, .int8, .int4, .int2, .uint4, .int16].contains(type) else { throw .alreadyQuantized }
        }
        guard layers > 0 else { throw .noLayers }
    }

    /// The bytes of a constant.
    func bytes(of constant: Constant, in file: FlatBuffer) throws(FlatBufferError) -> [UInt8] {
        switch constant {
        case .file(let range): Array(try file.bytes(at: range.lowerBound, count: range.count))
        case .bytes(let bytes): bytes
        }
    }

    /// The values of a constant of float32; nil for every other tensor.
    func floats(_ index: Int, in file: FlatBuffer) throws(FlatBufferError) -> [Float]? {
        guard index >= 0, tensors[index].type == .float32, let constant = tensors[index].constant else { return nil }
        let bytes = try bytes(of: constant, in: file)
        return bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { place in
                Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * place, as: UInt32.self)))
            }
        }
    }
}

extension FloatNetwork.Tensor {
    fileprivate init(_ node: ModelGraph.TensorNode, _ table: FlatBufferTable) throws {
        let quantization = try table.table(4)
        // Sparse tensors, variants, and tables of details about the quantization are not copied.
        let isPlain =
            try !node.isVariable && table.target(of: 6) == nil && table.target(of: 9) == nil
            && quantization?.target(of: 5) == nil
        guard isPlain else {
            throw ModelQuantizerError.layout(reason: "its tensor \"\(node.name)\" is sparse or keeps a state")
        }
        name = node.name
        type = node.type
        shape = node.shape
        openShape = node.signatureShape.contains(-1) ? node.signatureShape : nil
        hasRank = try table.integer(8, default: UInt8(0)) != 0
        constant = node.constant.map(FloatNetwork.Constant.file)
        if let quantization, let values = try quantization.floats(2), !values.isEmpty {
            scales = TensorScales(
                values,
                zeroPoints: try quantization.integers(3, of: Int64.self) ?? [],
                dimension: Int(try quantization.integer(6, default: Int32(0)))
            )
        }
    }
}

extension FloatNetwork.Operator {
    /// Operators whose options refer to texts or lists, which the copy of a table would lose.
    private static let uncopied: Set = ["BUCKETIZE", "CONCAT_EMBEDDINGS"]

    fileprivate init(
        _ node: ModelGraph.OperatorNode,
        _ code: FloatNetwork.Code,
        _ table: FlatBufferTable
    ) throws {
        let isPlain =
            try table.target(of: 12) == nil && table.integer(9, default: UInt64(0)) == 0
            && (table.integers(8, of: Int32.self) ?? []).isEmpty
        guard isPlain, !Self.uncopied.contains(code.name) else {
            throw ModelQuantizerError.layout(reason: "its operator \(code.name) has options that cannot be copied")
        }
        self.code = code
        (inputs, outputs) = (node.inputs, node.outputs)
        if let table = try table.table(4) {
            // The two operators whose options refer to a list.
            let copy: FlatBufferNode =
                ["RESHAPE", "SQUEEZE"].contains(code.name)
                ? .table(try table.integers(0, of: Int32.self).map { [0: .offset(.int32s($0))] } ?? [:])
                : try table.copy()
            options = (node.options, copy)
            switch code.name {
            case "FULLY_CONNECTED": shuffling = Int(try table.integer(1, default: Int8(0)))
            case "CONV_2D": fusedActivation = Int(try table.integer(3, default: Int8(0)))
            case "DEPTHWISE_CONV_2D": fusedActivation = Int(try table.integer(4, default: Int8(0)))
            default: break
            }
        }
        customOptions = try table.byteVector(5).map(Array.init)
    }
}

extension Float {
    /// The value of the bits of an IEEE 754 binary16.
    fileprivate init(half bits: UInt16) {
        let sign: Float = bits & 0x8000 == 0 ? 1 : -1
        let (exponent, fraction) = (Int(bits >> 10 & 0x1f), Float(bits & 0x3ff))
        self =
            switch exponent {
            case 0: sign * fraction * 0x1p-24
            case 0x1f: fraction == 0 ? sign * .infinity : .nan
            default: sign * (1024 + fraction) * Float(sign: .plus, exponent: exponent - 25, significand: 1)
            }
    }
}

import Foundation

/// Writes a network as a file of its own, with the tensors that its operators use and nothing else.
///
/// Slot numbers: the TensorFlow Lite schema, version 3.
struct NetworkWriter {
    private let file: FlatBuffer
    private var tensors: [FlatBufferNode] = []
    private var positions: [Int: Int] = [:]
    /// The first buffer is empty, as the schema demands.
    private var buffers: [FlatBufferNode] = [.table([:])]
    private var bufferOfConstant: [Range<Int>: Int] = [:]
    private var codes: [FloatNetwork.Code] = []

    /// The parts of a file that are not its main subgraph.
    struct Surroundings {
        var signatures: [ModelGraph.Signature] = []
        /// Metadata by name.
        var metadata: [(name: String, content: [UInt8])] = []
    }

    /// The bytes of a file.
    ///
    /// - Parameters:
    ///   - outputs: The indices of the outputs.
    ///   - operators: The positions of the operators to write, in their order; nil for all.
    ///   - names: Names for some tensors in place of their own.
    static func data(
        of network: FloatNetwork,
        outputs: [Int],
        operators: [Int]? = nil,
        names: [Int: String] = [:],
        in file: FlatBuffer,
        _ surroundings: Surroundings = Surroundings()
    ) throws(FlatBufferError) -> Data {
        var writer = NetworkWriter(file: file)
        return try writer.data(of: network, outputs, operators ?? Array(network.operators.indices), names, surroundings)
    }

    private init(file: FlatBuffer) { self.file = file }

    private mutating func data(
        of network: FloatNetwork,
        _ outputs: [Int],
        _ operators: [Int],
        _ names: [Int: String],
        _ surroundings: Surroundings
    ) throws(FlatBufferError) -> Data {
        // Inputs and outputs come first, as in the files of converters.
        func vector(_ indices: [Int]) throws(FlatBufferError) -> FlatBufferNode {
            var values: [Int32] = []
            for index in indices {
                values.append(index < 0 ? -1 : Int32(clamping: try add(index, of: network, names)))
            }
            return .int32s(values)
        }
        let inputVector = try vector(network.inputs)
        var operatorNodes: [FlatBufferNode] = []
        for position in operators {
            let operation = network.operators[position]
            let code = codes.firstIndex(of: operation.code) ?? codes.count
            if code == codes.count { codes.append(operation.code) }
            var fields: [Int: FlatBufferNode.Field] = [
                0: .uint32(UInt32(truncatingIfNeeded: code)),
                1: .offset(try vector(operation.inputs)),
                2: .offset(try vector(operation.outputs)),
            ]
            if let options = operation.options {
                fields[3] = .uint8(UInt8(truncatingIfNeeded: options.type))
                fields[4] = .offset(options.node)
            }
            if let custom = operation.customOptions { fields[5] = .offset(.bytes(custom)) }
            operatorNodes.append(.table(fields))
        }
        let main: [Int: FlatBufferNode.Field] = [
            1: .offset(inputVector), 2: .offset(try vector(outputs)), 3: .offset(.vector(operatorNodes)),
            0: .offset(.vector(tensors)),
        ]
        var fields: [Int: FlatBufferNode.Field] = [
            0: .uint32(3), 1: .offset(.vector(codes.map(\.node))), 2: .offset(.vector([.table(main)])),
            3: .offset(.string("Sightline")),
        ]
        let metadata = surroundings.metadata.map { entry -> FlatBufferNode in
            buffers.append(.table([0: .offset(.bytes(entry.content))]))
            return .table([
                0: .offset(.string(entry.name)), 1: .uint32(UInt32(truncatingIfNeeded: buffers.count - 1)),
            ])
        }
        if !metadata.isEmpty { fields[6] = .offset(.vector(metadata)) }
        let signatures = surroundings.signatures.map { node(of: $0) }
        if !signatures.isEmpty { fields[7] = .offset(.vector(signatures)) }
        fields[4] = .offset(.vector(buffers))
        return Data(FlatBufferWriter(root: .table(fields), identifier: "TFL3", multiple: 16).bytes)
    }

    private mutating func add(
        _ index: Int,
        of network: FloatNetwork,
        _ names: [Int: String]
    ) throws(FlatBufferError) -> Int {
        if let known = positions[index] { return known }
        let tensor = network.tensors[index]
        let buffer = try tensor.constant.map { constant throws(FlatBufferError) in try self.buffer(constant) } ?? 0
        tensors.append(tensor.node(named: names[index] ?? tensor.name, buffer: buffer))
        positions[index] = tensors.count - 1
        return tensors.count - 1
    }

    private mutating func buffer(_ constant: FloatNetwork.Constant) throws(FlatBufferError) -> Int {
        let content: [UInt8]
        switch constant {
        case .bytes(let bytes): content = bytes
        case .file(let range):
            if let known = bufferOfConstant[range] { return known }
            content = Array(try file.bytes(at: range.lowerBound, count: range.count))
            bufferOfConstant[range] = buffers.count
        }
        buffers.append(.table([0: .offset(.bytes(content))]))
        return buffers.count - 1
    }

    private func node(of signature: ModelGraph.Signature) -> FlatBufferNode {
        func entries(_ entries: [ModelGraph.Signature.Entry]) -> FlatBufferNode {
            .vector(
                entries.compactMap { entry in
                    positions[entry.tensor].map { position in
                        .table([
                            0: .offset(.string(entry.name)), 1: .uint32(UInt32(truncatingIfNeeded: position)),
                        ])
                    }
                }
            )
        }
        return .table([
            0: .offset(entries(signature.inputs)), 1: .offset(entries(signature.outputs)),
            2: .offset(.string(signature.key)), 4: .uint32(0),
        ])
    }
}

extension FloatNetwork.Code {
    fileprivate var node: FlatBufferNode {
        var fields: [Int: FlatBufferNode.Field] = [
            0: .uint8(UInt8(min(builtin, 127))), 2: .uint32(UInt32(truncatingIfNeeded: version)),
            3: .uint32(UInt32(truncatingIfNeeded: builtin)),
        ]
        if builtin == BuiltinOperator.custom { fields[1] = .offset(.string(name)) }
        return .table(fields)
    }
}

extension FloatNetwork.Tensor {
    fileprivate func node(named name: String, buffer: Int) -> FlatBufferNode {
        var fields: [Int: FlatBufferNode.Field] = [
            0: .offset(.int32s(shape.map { Int32(clamping: $0) })),
            1: .uint8(UInt8(bitPattern: type.rawValue)),
            2: .uint32(UInt32(truncatingIfNeeded: buffer)),
            3: .offset(.string(name)),
        ]
        if let openShape { fields[7] = .offset(.int32s(openShape.map { Int32(clamping: $0) })) }
        if hasRank { fields[8] = .uint8(1) }
        if let scales {
            fields[4] = .offset(
                .table([
                    2: .offset(.floats(scales.scales)), 3: .offset(.int64s(scales.zeroPoints)),
                    6: .uint32(UInt32(truncatingIfNeeded: scales.dimension)),
                ])
            )
        }
        return .table(fields)
    }
}

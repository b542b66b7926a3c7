import Foundation

/// Writes the operators of a trunk, with the tensors and weights that they need, and new operators behind them.
///
/// Slot numbers: the TensorFlow Lite schema, version 3.
struct TrunkWriter {
    struct Tensor {
        var name: String
        var type: ElementType
        var shape: [Int]
        var buffer = 0
        var scales: TensorScales?
    }

    struct Code: Hashable {
        var builtin: Int
        var version: Int
        /// The name of an operator that is not built in.
        var custom: String?
    }

    /// The inputs and outputs of the new model.
    private(set) var inputs: [Int] = []
    var outputs: [Int] = []
    /// The metadata; nil for none.
    var metadata: [UInt8]?

    let trunk: ModelTrunk
    let file: FlatBuffer
    let tables: FlatBufferTables
    private var tensors: [Tensor] = []
    /// The new positions of the original tensors.
    private var positions: [Int: Int] = [:]
    /// The first buffer is empty, as the schema demands.
    private var buffers: [FlatBufferNode] = [.table([:])]
    private var bufferOfConstant: [Range<Int>: Int] = [:]
    private var codes: [Code] = []
    private var operators: [FlatBufferNode] = []

    init(_ trunk: ModelTrunk, in file: FlatBuffer) throws {
        guard let main = trunk.model.graph.subgraphs.first else {
            throw ModelTrunkError.layout(reason: "it has no subgraph")
        }
        self.trunk = trunk
        self.file = file
        let root = try file.root()
        let subgraph = try root.tables(2).table(at: 0)
        tables = try subgraph.tables(0)
        for input in main.inputs where trunk.operators.contains(where: { main.operators[$0].inputs.contains(input) }) {
            inputs.append(try add(input, main.tensors[input]))
        }
        let operatorTables = try subgraph.tables(3)
        let codeTables = try root.tables(1)
        for position in trunk.operators {
            let node = main.operators[position]
            try copy(
                node,
                try operatorTables.table(at: position),
                code: try codeTables.table(at: node.code),
                name: trunk.model.graph.operatorCodes[node.code].name,
                main
            )
        }
        for segment in trunk.segments where positions[segment.tensor] == nil {
            _ = try add(segment.tensor, main.tensors[segment.tensor])
        }
    }

    /// The new position of a tensor that was copied.
    func index(of original: Int) -> Int { positions[original] ?? 0 }

    /// The type of a tensor.
    func type(of index: Int) -> ElementType { tensors.indices.contains(index) ? tensors[index].type : .float32 }

    /// The scales of a tensor.
    func scales(of index: Int) -> TensorScales? { tensors.indices.contains(index) ? tensors[index].scales : nil }

    mutating func rename(_ index: Int, to name: String) {
        if tensors.indices.contains(index) { tensors[index].name = name }
    }

    // MARK: - Copies

    private mutating func add(_ original: Int, _ node: ModelGraph.TensorNode) throws -> Int {
        if let known = positions[original] { return known }
        let table = try tables.table(at: original)
        let quantization = try table.table(4)
        guard try !node.isVariable && table.target(of: 6) == nil && quantization?.target(of: 5) == nil else {
            throw ModelTrunkError.layout(reason: "its tensor \"\(node.name)\" is sparse or keeps a state")
        }
        var tensor = Tensor(name: node.name, type: node.type, shape: node.shape)
        if let quantization, let scales = try quantization.floats(2), !scales.isEmpty {
            tensor.scales = TensorScales(
                scales,
                zeroPoints: try quantization.integers(3, of: Int64.self) ?? [],
                dimension: Int(try quantization.integer(6, default: Int32(0)))
            )
        }
        if let constant = node.constant { tensor.buffer = try buffer(of: constant) }
        if let shape = trunk.inputShape, trunk.model.graph.subgraphs.first?.inputs.contains(original) == true {
            tensor.shape = shape
        }
        tensors.append(tensor)
        positions[original] = tensors.count - 1
        return tensors.count - 1
    }

    private mutating func buffer(of constant: Range<Int>) throws(FlatBufferError) -> Int {
        if let known = bufferOfConstant[constant] { return known }
        let added = add(Array(try file.bytes(at: constant.lowerBound, count: constant.count)))
        bufferOfConstant[constant] = added
        return added
    }

    private mutating func add(_ bytes: [UInt8]) -> Int {
        buffers.append(.table([0: .offset(.bytes(bytes))]))
        return buffers.count - 1
    }

    private mutating func copy(
        _ node: ModelGraph.OperatorNode,
        _ table: FlatBufferTable,
        code: FlatBufferTable,
        name: String,
        _ main: ModelGraph.Subgraph
    ) throws {
        let isPlain =
            try table.target(of: 12) == nil && table.integer(9, default: UInt64(0)) == 0
            && (table.integers(8, of: Int32.self) ?? []).isEmpty
        guard isPlain else { throw ModelTrunkError.layout(reason: "its operator \(name) has unknown options") }
        let options: FlatBufferNode? =
            if let options = try table.table(4) {
                // The two operators whose options refer to a list.
                ["RESHAPE", "SQUEEZE"].contains(name)
                    ? .table(try options.integers(0, of: Int32.self).map { [0: .offset(.int32s($0))] } ?? [:])
                    : try options.copy()
            } else {
                nil
            }
        add(
            Code(
                builtin: max(
                    Int(try code.integer(0, default: Int8(0))),
                    Int(try code.integer(3, default: Int32(0)))
                ),
                version: Int(try code.integer(2, default: Int32(1)))
            ),
            inputs: try node.inputs.map { $0 < 0 ? -1 : try add($0, main.tensors[$0]) },
            outputs: try node.outputs.map { try add($0, main.tensors[$0]) },
            options: options.map { (node.options, $0) }
        )
    }

    mutating func add(
        _ code: Code,
        inputs: [Int],
        outputs: [Int],
        options: (type: Int, node: FlatBufferNode)?,
        customOptions: [UInt8]? = nil
    ) {
        let index = codes.firstIndex(of: code) ?? codes.count
        if index == codes.count { codes.append(code) }
        var fields: [Int: FlatBufferNode.Field] = [
            0: .uint32(UInt32(truncatingIfNeeded: index)),
            1: .offset(.int32s(inputs.map { Int32(clamping: $0) })),
            2: .offset(.int32s(outputs.map { Int32(clamping: $0) })),
        ]
        if let options {
            fields[3] = .uint8(UInt8(truncatingIfNeeded: options.type))
            fields[4] = .offset(options.node)
        }
        if let customOptions { fields[5] = .offset(.bytes(customOptions)) }
        operators.append(.table(fields))
    }

    // MARK: - New parts

    /// Adds a tensor, with the bytes of a constant.
    mutating func addTensor(
        _ name: String,
        _ type: ElementType,
        _ shape: [Int],
        _ scales: TensorScales? = nil,
        constant: [UInt8]? = nil
    ) -> Int {
        tensors.append(
            Tensor(name: name, type: type, shape: shape, buffer: constant.map { add($0) } ?? 0, scales: scales)
        )
        return tensors.count - 1
    }

    // MARK: - The file

    /// The bytes of the new model.
    var data: Data {
        var main: [Int: FlatBufferNode.Field] = [:]
        main[0] = .offset(.vector(tensors.map(\.node)))
        main[1] = .offset(.int32s(inputs.map { Int32(clamping: $0) }))
        main[2] = .offset(.int32s(outputs.map { Int32(clamping: $0) }))
        main[3] = .offset(.vector(operators))
        let codes = codes.map { code -> FlatBufferNode in
            var fields: [Int: FlatBufferNode.Field] = [
                0: .uint8(UInt8(min(code.builtin, 127))), 2: .uint32(UInt32(truncatingIfNeeded: code.version)),
                3: .uint32(UInt32(truncatingIfNeeded: code.builtin)),
            ]
            if let name = code.custom { fields[1] = .offset(.string(name)) }
            return .table(fields)
        }
        var fields: [Int: FlatBufferNode.Field] = [
            0: .uint32(3), 1: .offset(.vector(codes)), 2: .offset(.vector([.table(main)])),
            3: .offset(.string("Sightline")),
        ]
        var buffers = buffers
        if let metadata {
            fields[6] = .offset(
                .vector([
                    .table([
                        0: .offset(.string("TFLITE_METADATA")), 1: .uint32(UInt32(truncatingIfNeeded: buffers.count)),
                    ])
                ])
            )
            buffers.append(.table([0: .offset(.bytes(metadata))]))
        }
        fields[4] = .offset(.vector(buffers))
        return Data(FlatBufferWriter(root: .table(fields), identifier: "TFL3", multiple: 16).bytes)
    }
}

extension TrunkWriter.Tensor {
    fileprivate var node: FlatBufferNode {
        var fields: [Int: FlatBufferNode.Field] = [
            0: .offset(.int32s(shape.map { Int32(clamping: $0) })),
            1: .uint8(UInt8(bitPattern: type.rawValue)),
            2: .uint32(UInt32(truncatingIfNeeded: buffer)),
            3: .offset(.string(name)),
        ]
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

/// The main subgraph of a model file while it is rewritten.
///
/// The rewritten file has a new root that precedes a copy of the original bytes. Unchanged tables stay where they are,
/// and the new root refers to them; changed tables and additional buffers lie before the copy. Values of constants are
/// changed within the copy if nothing else uses them, so the weights are stored only once.
///
/// Slot numbers: the TensorFlow Lite schema, version 3.
struct ModelDraft {
    struct Tensor {
        var type: ElementType
        var shape: [Int]
        /// The single scale and zero point of the elements, if there are any.
        var quantization: QuantizationParameters?
        /// The position of the constant's data in the original file; nil for a computed tensor.
        let constant: Range<Int>?
        /// Whether the tensor keeps no state, stores all its elements, and has no further quantization details.
        let isPlain: Bool
        var buffer: Int
        let name: String
        /// Whether no dimension is open.
        let hasFixedShape: Bool

        /// The parts of the tensor's table.
        fileprivate var nameNode: FlatBufferNode?
        fileprivate var shapeNode: FlatBufferNode?
        fileprivate var quantizationNode: FlatBufferNode?
        fileprivate var signatureNode: FlatBufferNode?
        fileprivate let hasRank: Bool
        /// The position of the table in the original file; nil for a changed or new tensor.
        fileprivate var position: Int?
    }

    struct Operator {
        var code: Int
        /// Tensor indices; −1 stands for an omitted input.
        var inputs: [Int]
        var outputs: [Int]
        /// The number of the options in the schema's union, and their table.
        var options: (type: Int, node: FlatBufferNode)?
        /// The table in the original file; nil for a new operator.
        let table: FlatBufferTable?
        /// Whether the table in the original file no longer describes the operator.
        var isChanged = false
    }

    /// An operator's number, version, and name.
    struct Code {
        let builtin: Int
        let version: Int
        let name: String
        let isCustom: Bool
        fileprivate let node: FlatBufferNode
    }

    let file: FlatBuffer
    private let root: FlatBufferTable
    private let subgraph: FlatBufferTable
    private let originalBuffers: [Int]
    /// The number of tensors that use each buffer of the original file; metadata count too.
    private var bufferUses: [Int]
    private var additionalBuffers: [[UInt8]] = []
    private var additionalBytes = 0
    private var patchedBytes = 0
    private(set) var patches: [(range: Range<Int>, bytes: [UInt8])] = []
    private(set) var codes: [Code]
    /// The indices of the codes of built-in operators, by number and version.
    private var builtinCodes: [Int: [Int: Int]] = [:]
    private(set) var tensors: [Tensor]
    var operators: [Operator]
    let inputs: [Int]
    let outputs: [Int]
    /// The inputs and outputs.
    let ends: Set<Int>

    /// Reads a checked model.
    ///
    /// - Throws: `ModelOptimizerError.layout`, or a `FlatBufferError`.
    init(_ graph: ModelGraph, in file: FlatBuffer) throws {
        guard graph.subgraphs.count == 1, let main = graph.subgraphs.first else {
            throw ModelOptimizerError.layout(reason: "it has \(graph.subgraphs.count) subgraphs")
        }
        self.file = file
        root = try file.root()
        guard root.fieldCount <= 8 else { throw ModelOptimizerError.layout(reason: "its root has unknown fields") }
        subgraph = try root.tables(2).table(at: 0)
        inputs = main.inputs
        outputs = main.outputs
        ends = Set(inputs + outputs)
        let buffers = try root.tables(4)
        originalBuffers = try buffers.map { _, buffer throws(FlatBufferError) in
            // Such a buffer lies outside the FlatBuffer, so its position would become wrong.
            guard try buffer.integer(1, default: UInt64(0)) == 0 else {
                throw FlatBufferError(reason: "its weights lie outside the FlatBuffer")
            }
            return buffer.position
        }
        codes = try zip(0..., graph.operatorCodes).map { [root] index, code in
            let table = try root.tables(1).table(at: index)
            return Code(
                builtin: max(Int(try table.integer(0, default: Int8(0))), Int(try table.integer(3, default: Int32(0)))),
                version: Int(try table.integer(2, default: Int32(1))),
                name: code.name,
                isCustom: code.isCustom,
                node: .following(table.position)
            )
        }
        for (index, code) in codes.enumerated() where !code.isCustom {
            builtinCodes[code.builtin, default: [:]][code.version] = index
        }
        let tensorTables = try subgraph.tables(0)
        tensors = try zip(0..., main.tensors).map { index, node in
            try Tensor(node, try tensorTables.table(at: index))
        }
        let operatorTables = try subgraph.tables(3)
        operators = try zip(0..., main.operators).map { index, node in
            try Operator(node, try operatorTables.table(at: index))
        }
        bufferUses = [Int](repeating: 0, count: originalBuffers.count)
        for tensor in tensors where bufferUses.indices.contains(tensor.buffer) { bufferUses[tensor.buffer] += 1 }
        let metadata = try root.tables(6)
        for index in 0..<metadata.count {
            let buffer = Int(try metadata.table(at: index).integer(1, default: UInt32(0)))
            if bufferUses.indices.contains(buffer) { bufferUses[buffer] += 1 }
        }
    }

    /// The values of a constant of 32-bit integers; nil for every other tensor, and for one of more than 256 values.
    func int32s(_ index: Int) throws(FlatBufferError) -> [Int]? {
        guard tensors.indices.contains(index), tensors[index].type == .int32, let constant = tensors[index].constant,
            constant.count <= 1024
        else { return nil }
        var values: [Int] = []
        for position in stride(from: constant.lowerBound, to: constant.upperBound, by: 4) {
            values.append(Int(try file.load(Int32.self, at: position)))
        }
        return values
    }

    // MARK: - Changes

    /// The bytes of a constant in the original file.
    func bytes(of constant: Range<Int>) throws(FlatBufferError) -> UnsafeRawBufferPointer {
        try file.bytes(at: constant.lowerBound, count: constant.count)
    }

    /// Changes the type and the quantization of a tensor in its place.
    mutating func retype(_ index: Int, _ type: ElementType, _ quantization: TensorScales?) {
        tensors[index].retype(type, quantization)
    }

    /// Changes the shape of a constant in its place.
    mutating func reshape(_ index: Int, to shape: [Int]) { tensors[index].reshape(to: shape) }

    /// Adds a tensor like another tensor.
    ///
    /// - Parameters:
    ///   - suffix: The end of its name.
    ///   - shape: Its shape, if it differs.
    ///   - buffer: The buffer of its data; nil for a computed tensor.
    /// - Returns: The index of the new tensor.
    mutating func addTensor(
        like index: Int,
        suffix: String,
        _ type: ElementType,
        _ quantization: TensorScales?,
        shape: [Int]? = nil,
        buffer: Int? = nil
    ) -> Int {
        var tensor = tensors[index].copy(suffix: suffix)
        tensor.retype(type, quantization)
        if let shape { tensor.reshape(to: shape) }
        tensor.buffer = buffer ?? 0
        tensors.append(tensor)
        return tensors.count - 1
    }

    /// Adds a buffer.
    ///
    /// - Throws: `ModelOptimizerError.layout` if the additional buffers have more bytes than the original file: its
    ///   operators share their weights.
    mutating func addBuffer(_ bytes: [UInt8]) throws(ModelOptimizerError) -> Int {
        additionalBytes += bytes.count
        guard additionalBytes <= file.bytes.count + 1 << 16 else {
            throw .layout(reason: "its operators share their weights, so that the file would grow too much")
        }
        additionalBuffers.append(bytes)
        return originalBuffers.count + additionalBuffers.count - 1
    }

    /// Whether only this tensor uses its data.
    func ownsData(_ index: Int) -> Bool {
        let buffer = tensors[index].buffer
        return buffer != 0 && bufferUses.indices.contains(buffer) && bufferUses[buffer] == 1
    }

    /// Replaces the data of a constant, which nothing else may use, by as many bytes.
    ///
    /// - Throws: `ModelOptimizerError.layout` if constants overlap.
    mutating func patch(_ range: Range<Int>, with bytes: [UInt8]) throws(ModelOptimizerError) {
        patchedBytes += bytes.count
        guard bytes.count == range.count, patchedBytes <= file.bytes.count else {
            throw .layout(reason: "its weights overlap")
        }
        patches.append((range, bytes))
    }

    /// The index of the code of a built-in operator, which is added if necessary.
    mutating func code(_ builtin: Int, _ name: String, version: Int) -> Int {
        if let known = builtinCodes[builtin]?[version] { return known }
        let node = FlatBufferNode.table([
            0: .uint8(UInt8(min(builtin, 127))), 2: .uint32(UInt32(version)), 3: .uint32(UInt32(builtin)),
        ])
        builtinCodes[builtin, default: [:]][version] = codes.count
        codes.append(Code(builtin: builtin, version: version, name: name, isCustom: false, node: node))
        return codes.count - 1
    }

    // MARK: - The new file

    /// The bytes that precede the original file, with a new root.
    func head() throws(FlatBufferError) -> [UInt8] {
        let buffers =
            originalBuffers.map(FlatBufferNode.following)
            + additionalBuffers.map { .table([0: .offset(.bytes($0))]) }
        var main: [Int: FlatBufferNode.Field] = [
            0: .offset(.vector(tensors.map(\.node))),
            3: .offset(.vector(try operators.map { operation throws(FlatBufferError) in try operation.node() })),
        ]
        for slot in [1, 2, 4] {
            if let target = try subgraph.target(of: slot) { main[slot] = .offset(.following(target)) }
        }
        var fields: [Int: FlatBufferNode.Field] = [
            0: .uint32(try root.integer(0, default: UInt32(0))),
            1: .offset(.vector(codes.map(\.node))),
            2: .offset(.vector([.table(main)])),
            4: .offset(.vector(buffers)),
        ]
        for slot in [3, 5, 6, 7] {
            if let target = try root.target(of: slot) { fields[slot] = .offset(.following(target)) }
        }
        // A multiple of every alignment that the runtime may require for weights.
        return FlatBufferWriter(root: .table(fields), identifier: "TFL3", multiple: 64).bytes
    }
}

/// The scales and zero points of a tensor.
struct TensorScales {
    var scales: [Float]
    var zeroPoints: [Int64]
    /// The dimension that the scales belong to.
    var dimension = 0

    init(_ scale: Float, zeroPoint: Int) {
        (scales, zeroPoints) = ([scale], [Int64(zeroPoint)])
    }

    /// A quantization as a file has it.
    init(_ scales: [Float], zeroPoints: [Int64], dimension: Int) {
        (self.scales, self.zeroPoints, self.dimension) = (scales, zeroPoints, dimension)
    }

    /// A symmetric quantization with a scale for each element of a dimension.
    init(perChannel scales: [Float], dimension: Int) {
        self.scales = scales
        zeroPoints = [Int64](repeating: 0, count: scales.count)
        self.dimension = dimension
    }
}

extension ModelDraft.Tensor {
    fileprivate init(_ node: ModelGraph.TensorNode, _ table: FlatBufferTable) throws {
        type = node.type
        shape = node.shape
        quantization = node.quantization
        constant = node.constant
        let quantizationTable = try table.table(4)
        isPlain =
            try !node.isVariable && table.target(of: 6) == nil && quantizationTable?.target(of: 5) == nil
            && table.target(of: 9) == nil
        buffer = Int(try table.integer(2, default: UInt32(0)))
        name = node.name
        hasFixedShape = !node.signatureShape.contains(-1)
        nameNode = try table.target(of: 3).map(FlatBufferNode.following)
        shapeNode = try table.target(of: 0).map(FlatBufferNode.following)
        quantizationNode = quantizationTable.map { .following($0.position) }
        signatureNode = try table.target(of: 7).map(FlatBufferNode.following)
        hasRank = try table.integer(8, default: UInt8(0)) != 0
        position = table.position
    }

    fileprivate func copy(suffix: String) -> Self {
        var copy = self
        // Names of intermediate tensors appear only in messages.
        copy.nameNode = .string(String(name.prefix(100)) + suffix)
        copy.position = nil
        return copy
    }

    fileprivate mutating func retype(_ type: ElementType, _ scales: TensorScales?) {
        self.type = type
        quantization = scales.flatMap { scales in
            guard scales.scales.count == 1, let scale = scales.scales.first, let zeroPoint = scales.zeroPoints.first
            else { return nil }
            return QuantizationParameters(scale: scale, zeroPoint: Int(zeroPoint))
        }
        quantizationNode = scales.map {
            .table([
                2: .offset(.floats($0.scales)), 3: .offset(.int64s($0.zeroPoints)),
                6: .uint32(UInt32(truncatingIfNeeded: $0.dimension)),
            ])
        }
        position = nil
    }

    fileprivate mutating func reshape(to shape: [Int]) {
        self.shape = shape
        shapeNode = .int32s(shape.map { Int32(clamping: $0) })
        signatureNode = nil
        position = nil
    }

    fileprivate var node: FlatBufferNode {
        if let position { return .following(position) }
        var fields: [Int: FlatBufferNode.Field] = [
            1: .uint8(UInt8(bitPattern: type.rawValue)), 2: .uint32(UInt32(truncatingIfNeeded: buffer)),
        ]
        for (slot, part) in [(0, shapeNode), (3, nameNode), (4, quantizationNode), (7, signatureNode)] {
            if let part { fields[slot] = .offset(part) }
        }
        if hasRank { fields[8] = .uint8(1) }
        return .table(fields)
    }
}

extension ModelDraft.Operator {
    fileprivate init(_ node: ModelGraph.OperatorNode, _ table: FlatBufferTable) throws {
        // Such options lie outside the FlatBuffer, so their position would become wrong.
        guard try table.integer(9, default: UInt64(0)) == 0 else {
            throw ModelOptimizerError.layout(reason: "options of its operators lie outside the FlatBuffer")
        }
        code = node.code
        inputs = node.inputs
        outputs = node.outputs
        options = try table.table(4).map { (node.options, .following($0.position)) }
        self.table = table
    }

    /// Creates an operator. Options that are left out have the schema's default values.
    init(
        code: Int,
        inputs: [Int],
        outputs: [Int],
        optionsType: Int,
        options fields: [Int: FlatBufferNode.Field] = [:]
    ) {
        self.code = code
        self.inputs = inputs
        self.outputs = outputs
        options = (optionsType, .table(fields))
        table = nil
    }

    fileprivate func node() throws(FlatBufferError) -> FlatBufferNode {
        if let table, !isChanged { return .following(table.position) }
        var fields: [Int: FlatBufferNode.Field] = [
            0: .uint32(UInt32(truncatingIfNeeded: code)),
            1: .offset(.int32s(inputs.map { Int32(clamping: $0) })),
            2: .offset(.int32s(outputs.map { Int32(clamping: $0) })),
        ]
        if let options {
            fields[3] = .uint8(UInt8(truncatingIfNeeded: options.type))
            fields[4] = .offset(options.node)
        }
        guard let table else { return .table(fields) }
        for slot in [5, 7, 8, 12] {
            if let target = try table.target(of: slot) { fields[slot] = .offset(.following(target)) }
        }
        for slot in [6, 11] {
            let value = try table.integer(slot, default: UInt8(0))
            if value != 0 { fields[slot] = .uint8(value) }
        }
        return .table(fields)
    }
}

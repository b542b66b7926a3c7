import TensorFlowLite

/// Reads an ONNX file.
///
/// The reader walks the wire format itself: generated code would copy all weights, allocate whatever the file claims before anything
/// is checked, and add a package to every app. Whatever the file holds, the reader takes memory for at most ``maximumParts`` parts.
struct OnnxReader {
    /// The largest number of parts of a file: operators, tensors, names, dimensions. Large detectors have some 50,000.
    static let maximumParts = 1_000_000
    /// The depth of graphs inside operators inside graphs.
    private static let maximumDepth = 8
    private static let maximumNameBytes = 1 << 16
    /// The largest text of the metadata.
    static let maximumPropertyBytes = 4 << 20
    /// Constants with more elements are weights, whose values no check needs.
    private static let maximumSmallCount = 64

    private let bytes: UnsafeRawBufferPointer
    private var remainingParts = Self.maximumParts

    /// Reads a file.
    ///
    /// - Throws: `ModelError.corrupted(reason:)`.
    static func file(_ bytes: UnsafeRawBufferPointer) throws(ModelError) -> OnnxFile {
        var reader = OnnxReader(bytes: bytes)
        return try reader.file()
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private mutating func file() throws(ModelError) -> OnnxFile {
        var file = OnnxFile()
        var hasGraph = false
        var fields = WireReader(bytes, 0..<bytes.count)
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .integer(let version)): file.irVersion = Int(truncatingIfNeeded: version)
            case (2, .bytes(let range)): file.producer = try text(range)
            case (7, .bytes(let range)):
                file.graph = try graph(range, depth: 0)
                hasGraph = true
            case (8, .bytes(let range)):
                let (domain, version) = try operatorSet(range)
                file.operatorSets[domain == "ai.onnx" ? "" : domain] = version
            case (14, .bytes(let range)):
                let (name, value) = try property(range)
                file.properties[name] = value
            case (20, .bytes): file.trainingPart = "a description of a training"
            case (25, .bytes): file.functionCount += 1
            default: break
            }
        }
        guard hasGraph else { throw .corrupted(reason: "it has no graph") }
        return file
    }

    // MARK: - Graph

    private mutating func graph(_ range: Range<Int>, depth: Int) throws(ModelError) -> OnnxGraph {
        guard depth < Self.maximumDepth else { throw .corrupted(reason: "its graphs are nested too deeply") }
        var graph = OnnxGraph()
        var fields = WireReader(bytes, range)
        while let field = try fields.next() {
            guard case .bytes(let part) = field.value else { continue }
            switch field.number {
            case 1: graph.nodes.append(try node(part, depth: depth))
            case 5:
                let tensor = try tensor(part)
                graph.initializers[tensor.name] = tensor
            case 11: graph.inputs.append(try value(part))
            case 12: graph.outputs.append(try value(part))
            case 13: graph.values.append(try value(part))
            case 15: throw .unsupported(.sparseTensor(name: "of byte \(part.lowerBound)"))
            default: break
            }
        }
        return graph
    }

    private mutating func node(_ range: Range<Int>, depth: Int) throws(ModelError) -> OnnxNode {
        try take()
        var node = OnnxNode()
        var fields = WireReader(bytes, range)
        while let field = try fields.next() {
            guard case .bytes(let part) = field.value else { continue }
            switch field.number {
            case 1: node.inputs.append(try name(part))
            case 2: node.outputs.append(try name(part))
            case 4: node.operatorName = try name(part)
            case 5: try readAttribute(part, into: &node, depth: depth)
            case 7: node.domain = try name(part)
            default: break
            }
        }
        return node
    }

    private mutating func readAttribute(
        _ range: Range<Int>,
        into node: inout OnnxNode,
        depth: Int
    ) throws(ModelError) {
        try take()
        var attribute = ""
        var integers: [Int64] = []
        var fields = WireReader(bytes, range)
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let part)): attribute = try name(part)
            case (3, .integer(let value)): integers.append(Int64(bitPattern: value))
            case (5, .bytes(let part)): node.tensor = try tensor(part)
            case (6, .bytes(let part)), (11, .bytes(let part)):
                node.graphs.append(try graph(part, depth: depth + 1))
            case (8, .integer(let value)):
                if integers.count < Self.maximumSmallCount { integers.append(Int64(bitPattern: value)) }
            case (8, .bytes(let part)): integers = try packedIntegers(part)
            case (10, .bytes(let part)):
                let other = try tensor(part)
                if other.external != nil { node.tensor = other }
            case (22, _), (23, _): throw .unsupported(.sparseTensor(name: attribute))
            default: break
            }
        }
        if !integers.isEmpty { node.integers[attribute] = integers }
    }

    // MARK: - Tensors

    private mutating func tensor(_ range: Range<Int>) throws(ModelError) -> OnnxTensor {
        try take()
        var tensor = OnnxTensor()
        var raw: Range<Int>?
        var (isExternal, external) = (false, OnnxTensor.External())
        var integers: [Int64] = []
        var reals: [Float] = []
        var fields = WireReader(bytes, range)
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .integer(let extent)): try add(extent, to: &tensor.shape)
            case (1, .bytes(let part)):
                var numbers = WireReader(bytes, part)
                while !numbers.isAtEnd { try add(try numbers.integer(), to: &tensor.shape) }
            case (2, .integer(let type)): tensor.type = OnnxElementType(rawValue: Int(truncatingIfNeeded: type))
            case (4, .bytes(let part)): reals = try packedReals(part)
            case (4, .fixed32(let bits)):
                if reals.count < Self.maximumSmallCount { reals.append(Float(bitPattern: bits)) }
            case (5, .bytes(let part)), (7, .bytes(let part)): integers = try packedIntegers(part)
            case (5, .integer(let value)), (7, .integer(let value)):
                if integers.count < Self.maximumSmallCount { integers.append(Int64(bitPattern: value)) }
            case (6, .bytes): tensor.type = .string
            case (8, .bytes(let part)): tensor.name = try name(part)
            case (9, .bytes(let part)): raw = part
            case (13, .bytes(let part)):
                let (key, value) = try property(part)
                isExternal = true
                try Self.read(key, value, into: &external)
            case (14, .integer(1)): isExternal = true
            default: break
            }
        }
        if isExternal { tensor.external = external }
        tensor.rawByteCount = raw?.count
        if let raw { (integers, reals) = values(raw, tensor.type) }
        let count = tensor.shape.reduce(1) { $0.multipliedReportingOverflow(by: $1).partialValue }
        if integers.count == count { tensor.integers = integers }
        if reals.count == count { tensor.reals = reals }
        return tensor
    }

    private mutating func add(_ extent: UInt64, to shape: inout [Int]) throws(ModelError) {
        try take()
        guard let extent = Int(exactly: extent), shape.count < 64 else {
            throw .corrupted(reason: "a tensor has a negative dimension or too many dimensions")
        }
        shape.append(extent)
    }

    /// The values of a small tensor that is stored as bytes.
    private func values(_ raw: Range<Int>, _ type: OnnxElementType) -> (integers: [Int64], reals: [Float]) {
        let size = type == .int64 ? 8 : type == .float32 ? 4 : 0
        guard size > 0, raw.count <= Self.maximumSmallCount * size, raw.count.isMultiple(of: size) else {
            return ([], [])
        }
        let bits = stride(from: raw.lowerBound, to: raw.upperBound, by: size).map { start in
            (0..<size).reduce(UInt64(0)) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
        }
        return size == 8
            ? (bits.map { Int64(bitPattern: $0) }, [])
            : ([], bits.map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) })
    }

    private static func read(
        _ key: String,
        _ value: String,
        into external: inout OnnxTensor.External
    ) throws(ModelError) {
        switch key {
        case "location": external.path = value
        case "offset", "length":
            guard let number = Int(value), number >= 0 else {
                throw .corrupted(reason: "the \(key) of weights in another file is \"\(value.prefix(40))\"")
            }
            if key == "offset" { external.offset = number } else { external.length = number }
        default: break
        }
    }

    // MARK: - Types

    private mutating func value(_ range: Range<Int>) throws(ModelError) -> OnnxValue {
        try take()
        var value = OnnxValue()
        var fields = WireReader(bytes, range)
        while let field = try fields.next() {
            guard case .bytes(let part) = field.value else { continue }
            if field.number == 1 { value.name = try name(part) }
            if field.number == 2 { try readType(part, into: &value) }
        }
        return value
    }

    private static let otherKinds = [4: "a sequence", 5: "a map", 7: "an opaque value", 8: "sparse", 9: "optional"]

    private mutating func readType(_ range: Range<Int>, into value: inout OnnxValue) throws(ModelError) {
        var fields = WireReader(bytes, range)
        while let field = try fields.next() {
            guard case .bytes(let part) = field.value else { continue }
            if let kind = Self.otherKinds[field.number] { value.otherKind = kind }
            guard field.number == 1 else { continue }
            var tensor = WireReader(bytes, part)
            while let field = try tensor.next() {
                switch (field.number, field.value) {
                case (1, .integer(let type)): value.type = OnnxElementType(rawValue: Int(truncatingIfNeeded: type))
                case (2, .bytes(let part)): value.shape = try shape(part)
                default: break
                }
            }
        }
    }

    private mutating func shape(_ range: Range<Int>) throws(ModelError) -> [OnnxValue.Extent] {
        var shape: [OnnxValue.Extent] = []
        var fields = WireReader(bytes, range)
        while let field = try fields.next() {
            guard field.number == 1, case .bytes(let part) = field.value else { continue }
            try take()
            var extent = OnnxValue.Extent.open
            var dimension = WireReader(bytes, part)
            while let field = try dimension.next() {
                switch (field.number, field.value) {
                // Some exporters write −1 or 0 for an open extent.
                case (1, .integer(let count)): extent = Int(exactly: count).map { $0 > 0 ? .fixed($0) : .open } ?? .open
                case (2, .bytes(let part)) where !part.isEmpty: extent = .named(try name(part))
                default: break
                }
            }
            shape.append(extent)
        }
        return shape
    }

    private mutating func operatorSet(_ range: Range<Int>) throws(ModelError) -> (domain: String, version: Int) {
        try take()
        var (domain, version) = ("", 0)
        var fields = WireReader(bytes, range)
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let part)): domain = try name(part)
            case (2, .integer(let number)): version = Int(truncatingIfNeeded: number)
            default: break
            }
        }
        return (domain, version)
    }

    private mutating func property(_ range: Range<Int>) throws(ModelError) -> (name: String, value: String) {
        var (key, value) = ("", "")
        var fields = WireReader(bytes, range)
        while let field = try fields.next() {
            guard case .bytes(let part) = field.value else { continue }
            if field.number == 1 { key = try name(part) }
            if field.number == 2 {
                guard part.count <= Self.maximumPropertyBytes else {
                    throw .corrupted(reason: "its text \"\(key.prefix(40))\" has \(part.count) bytes")
                }
                value = try text(part)
            }
        }
        return (key, value)
    }

    // MARK: - Values

    /// Counts a part.
    private mutating func take() throws(ModelError) {
        remainingParts -= 1
        guard remainingParts > 0 else { throw .corrupted(reason: "it has more than \(Self.maximumParts) parts") }
    }

    private mutating func name(_ range: Range<Int>) throws(ModelError) -> String {
        guard range.count <= Self.maximumNameBytes else {
            throw WireReader.damage("a name of \(range.count) bytes", at: range.lowerBound)
        }
        return try text(range)
    }

    private mutating func text(_ range: Range<Int>) throws(ModelError) -> String {
        try take()
        return String(decoding: bytes[range], as: UTF8.self)
    }

    /// The numbers of a packed field; none if there are many.
    private func packedIntegers(_ range: Range<Int>) throws(ModelError) -> [Int64] {
        guard range.count <= Self.maximumSmallCount * 10 else { return [] }
        var numbers: [Int64] = []
        var reader = WireReader(bytes, range)
        while !reader.isAtEnd { numbers.append(Int64(bitPattern: try reader.integer())) }
        return numbers.count > Self.maximumSmallCount ? [] : numbers
    }

    private func packedReals(_ range: Range<Int>) throws(ModelError) -> [Float] {
        guard range.count <= Self.maximumSmallCount * 4 else { return [] }
        var numbers: [Float] = []
        var reader = WireReader(bytes, range)
        while !reader.isAtEnd { numbers.append(Float(bitPattern: try reader.fixed32())) }
        return numbers
    }
}

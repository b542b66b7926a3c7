import Foundation

/// A message of Protocol Buffers that a test writes.
public struct ProtoMessage: Sendable {
    /// The encoded message.
    public private(set) var bytes = Data()

    /// An empty message.
    public init() {}

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Adds an integer.
    public mutating func add(_ field: Int, _ value: Int64) {
        varint(UInt64(field) << 3)
        varint(UInt64(bitPattern: value))
    }

    /// Adds bytes, a text or a message.
    public mutating func add(_ field: Int, _ content: Data) {
        varint(UInt64(field) << 3 | 2)
        varint(UInt64(content.count))
        bytes.append(content)
    }

    /// Adds a text.
    public mutating func add(_ field: Int, _ text: String) { add(field, Data(text.utf8)) }
    /// Adds a message.
    public mutating func add(_ field: Int, _ message: ProtoMessage) { add(field, message.bytes) }
}

/// An extent of a shape in an ONNX file: a number, or a name for an open one.
public enum OnnxExtent: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, Sendable {
    case fixed(Int)
    case named(String)

    /// A number.
    public init(integerLiteral value: Int) { self = .fixed(value) }
    /// A name.
    public init(stringLiteral value: String) { self = .named(value) }
}

/// The types of elements in ONNX files.
public enum OnnxType: Int64, Sendable {
    case float32 = 1
    case uInt8 = 2
    case int64 = 7
    case string = 8
    case float16 = 10
}

/// A small ONNX model that a test writes.
public struct OnnxBuilder: Sendable {
    /// The graph, to which tests may add fields of their own.
    public var graph = ProtoMessage()
    /// The version of the standard operators.
    public var operatorSet: Int64 = 17
    /// The texts of the exporter.
    public var properties: [String: String] = [:]
    /// Further fields of the model.
    public var extra = ProtoMessage()

    /// An empty model.
    public init() {}

    /// Adds an input.
    public mutating func input(_ name: String, _ type: OnnxType = .float32, _ shape: [OnnxExtent]) {
        graph.add(11, Self.value(name, type, shape))
    }

    /// Adds an output; without a shape if it is nil.
    public mutating func output(_ name: String, _ type: OnnxType = .float32, _ shape: [OnnxExtent]?) {
        graph.add(12, Self.value(name, type, shape))
    }

    private static func value(_ name: String, _ type: OnnxType, _ shape: [OnnxExtent]?) -> ProtoMessage {
        var tensor = ProtoMessage()
        tensor.add(1, type.rawValue)
        if let shape {
            var dimensions = ProtoMessage()
            for extent in shape {
                var dimension = ProtoMessage()
                switch extent {
                case .fixed(let count): dimension.add(1, Int64(count))
                case .named(let name): dimension.add(2, name)
                }
                dimensions.add(1, dimension)
            }
            tensor.add(2, dimensions)
        }
        var kind = ProtoMessage()
        kind.add(1, tensor)
        var value = ProtoMessage()
        value.add(1, name)
        value.add(2, kind)
        return value
    }

    /// Adds constants.
    public mutating func constants(_ name: String, _ values: [Float], _ shape: [Int]) {
        graph.add(5, Self.tensor(name, .float32, shape, raw: values.withUnsafeBytes { Data($0) }))
    }

    /// Adds constants.
    public mutating func constants(_ name: String, integers: [Int64], _ shape: [Int]) {
        graph.add(5, Self.tensor(name, .int64, shape, raw: integers.withUnsafeBytes { Data($0) }))
    }

    /// Adds constants whose values are in another file.
    public mutating func constants(_ name: String, _ shape: [Int], in file: String, offset: Int = 0, length: Int? = nil)
    {
        var tensor = Self.tensor(name, .float32, shape, raw: nil)
        for (key, value) in [("location", file), ("offset", "\(offset)")] + (length.map { [("length", "\($0)")] } ?? [])
        {
            var entry = ProtoMessage()
            entry.add(1, key)
            entry.add(2, value)
            tensor.add(13, entry)
        }
        tensor.add(14, 1)
        graph.add(5, tensor)
    }

    /// A tensor as the file has it.
    public static func tensor(_ name: String, _ type: OnnxType, _ shape: [Int], raw: Data?) -> ProtoMessage {
        var tensor = ProtoMessage()
        for extent in shape { tensor.add(1, Int64(extent)) }
        tensor.add(2, type.rawValue)
        tensor.add(8, name)
        if let raw { tensor.add(9, raw) }
        return tensor
    }

    /// Adds an operator.
    public mutating func node(
        _ name: String,
        _ inputs: [String],
        _ outputs: [String],
        domain: String = "",
        integers: [String: [Int64]] = [:],
        branches: [String: OnnxBuilder] = [:]
    ) {
        var node = ProtoMessage()
        for input in inputs { node.add(1, input) }
        for output in outputs { node.add(2, output) }
        node.add(4, name)
        for (key, values) in integers {
            var attribute = ProtoMessage()
            attribute.add(1, key)
            // A list, or a single number where the name is that of one.
            if ["to", "axis", "keepdims"].contains(key) {
                attribute.add(3, values[0])
                attribute.add(20, 2)
            } else {
                for value in values { attribute.add(8, value) }
                attribute.add(20, 7)
            }
            node.add(5, attribute)
        }
        for (key, branch) in branches {
            var attribute = ProtoMessage()
            attribute.add(1, key)
            attribute.add(6, branch.namedGraph)
            attribute.add(20, 5)
            node.add(5, attribute)
        }
        if !domain.isEmpty { node.add(7, domain) }
        graph.add(1, node)
    }

    private var namedGraph: ProtoMessage {
        var graph = graph
        graph.add(2, "graph")
        return graph
    }

    /// The file.
    public var data: Data {
        var model = ProtoMessage()
        model.add(1, 8)
        model.add(2, "tests")
        model.add(7, namedGraph)
        var set = ProtoMessage()
        set.add(1, "")
        set.add(2, operatorSet)
        model.add(8, set)
        for domain in ["com.microsoft", "ai.onnx.ml"] {
            var set = ProtoMessage()
            set.add(1, domain)
            set.add(2, 1)
            model.add(8, set)
        }
        for (key, value) in properties.sorted(by: { $0.key < $1.key }) {
            var entry = ProtoMessage()
            entry.add(1, key)
            entry.add(2, value)
            model.add(14, entry)
        }
        return model.bytes + extra.bytes
    }

    // MARK: - Models

    /// A model whose outputs are constants, whatever is in the picture.
    ///
    /// - Parameter input: the shape of the picture.
    public static func constant(
        _ outputs: [(name: String, values: [Float], shape: [Int])],
        input: [OnnxExtent] = [1, 3, 64, 64]
    ) -> OnnxBuilder {
        var model = OnnxBuilder()
        model.input("images", .float32, input)
        model.constants("zero", [0], [1])
        model.node("ReduceMean", ["images"], ["mean"], integers: ["keepdims": [0]])
        model.node("Mul", ["mean", "zero"], ["nothing"])
        for output in outputs {
            model.constants("\(output.name)_constants", output.values, output.shape)
            model.node("Add", ["\(output.name)_constants", "nothing"], [output.name])
            model.output(output.name, .float32, output.shape.map(OnnxExtent.fixed))
        }
        return model
    }
}

import TensorFlowLite

/// The contents of an ONNX file, as far as checks, heads and people need them. Source of the field numbers: onnx.proto.
struct OnnxFile: Sendable {
    /// The version of the format.
    var irVersion = 0
    /// The versions of the sets of operators by domain; the standard set has the domain "".
    var operatorSets: [String: Int] = [:]
    /// The program that wrote the file.
    var producer = ""
    /// The texts that the exporter wrote into the file, by name.
    var properties: [String: String] = [:]
    var graph = OnnxGraph()
    /// The parts for training, in words.
    var trainingPart: String?
    /// The number of functions that the model defines for itself.
    var functionCount = 0
}

/// A graph: operators, and the tensors between them.
struct OnnxGraph: Sendable {
    var nodes: [OnnxNode] = []
    var initializers: [String: OnnxTensor] = [:]
    var inputs: [OnnxValue] = []
    var outputs: [OnnxValue] = []
    /// The types and shapes that the file states for tensors between operators.
    var values: [OnnxValue] = []
}

/// An operator of a graph.
struct OnnxNode: Sendable {
    var operatorName = ""
    /// The set to which the operator belongs; "" is the standard set.
    var domain = ""
    var inputs: [String] = []
    var outputs: [String] = []
    /// The attributes with few integers, such as `pads`.
    var integers: [String: [Int64]] = [:]
    /// The tensor of a `Constant`, or the value of a `ConstantOfShape`.
    var tensor: OnnxTensor?
    /// The branches of an `If`, the body of a loop.
    var graphs: [OnnxGraph] = []

    /// The domain's usual name and the operator's name.
    var fullName: String { Self.isStandard(domain) ? operatorName : "\(domain).\(operatorName)" }
    var isStandard: Bool { Self.isStandard(domain) }

    private static func isStandard(_ domain: String) -> Bool { domain.isEmpty || domain == "ai.onnx" }
}

/// A tensor of constants.
struct OnnxTensor: Sendable {
    /// A part of another file.
    struct External: Sendable, Hashable {
        var path = ""
        var offset = 0
        /// Nil for everything up to the end of the file.
        var length: Int?
    }

    var name = ""
    var shape: [Int] = []
    var type = OnnxElementType(rawValue: 0)
    /// The values of a small tensor of integers; nil for other tensors.
    var integers: [Int64]?
    /// The values of a small tensor of float32; nil for other tensors.
    var reals: [Float]?
    /// The place of the values in another file; nil if they are in this file.
    var external: External?
    /// The number of values that the file holds: of bytes where it holds them as bytes.
    var rawByteCount: Int?
}

/// An input, an output, or a tensor between operators.
struct OnnxValue: Sendable {
    enum Extent: Sendable, Hashable {
        case fixed(Int)
        /// Open, with a name: all extents with this name are the same.
        case named(String)
        case open
    }

    var name = ""
    var type = OnnxElementType(rawValue: 0)
    /// Nil if the file states no shape.
    var shape: [Extent]?
    /// The kind of a value other than a tensor, such as a sequence.
    var otherKind: String?
}

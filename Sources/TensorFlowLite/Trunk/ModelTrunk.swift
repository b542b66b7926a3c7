import Foundation

/// The part of a classifier before its last layer, which turns a picture into numbers that describe it: its *features*.
///
/// The features are the inputs of the layers with weights from which the model computes its scores by nothing but sums, changes of
/// the shape or type, and a final `SOFTMAX` or `LOGISTIC`. Most classifiers have one such layer, `FULLY_CONNECTED` or a `CONV_2D` of
/// 1 × 1, whose input is the mean of a feature map; a classifier may also add the results of several.
///
/// A new model is written from the trunk: ``features()`` has the features as outputs, ``classifier(_:_:)`` has a new last layer. Both
/// have all weights of the trunk, unchanged, and none of the rest.
package struct ModelTrunk: Sendable {
    /// The model that was cut.
    package let model: Model
    /// The number of features.
    package var featureCount: Int { segments.reduce(0) { $0 + $1.count } }
    /// The shape that the model's picture gets where the file leaves it open, or the file's.
    let inputShape: [Int]?
    /// The parts of the features, in the order of the operators that read them.
    let segments: [Segment]
    /// The positions of the operators that compute the features.
    let operators: [Int]
    /// The type of the scores of the model that was cut.
    let scoreType: ElementType

    /// Features that one layer reads.
    struct Segment: Sendable {
        /// The tensor's index in the main subgraph.
        let tensor: Int
        let type: ElementType
        let quantization: QuantizationParameters?
        let shape: [Int]
        var count: Int { shape.reduce(1, *) }
    }

    /// Operators that pass values on, with the number of their inputs that are values; all other inputs are constants.
    private static let forwarding: Set = [
        "ADD", "CAST", "DEQUANTIZE", "EXPAND_DIMS", "LOGISTIC", "QUANTIZE", "RESHAPE", "SOFTMAX", "SQUEEZE",
    ]

    /// Finds the features of a classifier.
    ///
    /// - Parameters:
    ///   - output: The position of the scores among the model's outputs.
    ///   - inputShape: The shape of the picture, for a model that leaves it open; nil for the file's.
    /// - Throws: `ModelTrunkError`.
    package init(of model: Model, output: Int = 0, inputShape: [Int]? = nil) throws(ModelTrunkError) {
        let graph = model.graph
        guard graph.subgraphs.count == 1, let main = graph.subgraphs.first else {
            throw .layout(reason: "it has \(graph.subgraphs.count) subgraphs")
        }
        guard main.outputs.indices.contains(output) else { throw .noFeatures }
        var producers: [Int: Int] = [:]
        for (position, node) in main.operators.enumerated() {
            for output in node.outputs { producers[output] = position }
        }
        // Back from the scores to the layers with weights.
        var layers: Set<Int> = []
        var rest = [main.outputs[output]]
        var seen: Set<Int> = []
        while let tensor = rest.popLast() {
            guard seen.insert(tensor).inserted, main.tensors[tensor].constant == nil else { continue }
            guard let position = producers[tensor] else { throw .noFeatures }
            let node = main.operators[position]
            let name = graph.operatorCodes[node.code].name
            if Self.isLayer(node, name, main) {
                layers.insert(position)
            } else if Self.forwarding.contains(name) {
                rest += node.inputs.filter { $0 >= 0 }
            } else {
                throw .noFeatures
            }
        }
        segments = layers.sorted().map { main.operators[$0].inputs[0] }.reduce(into: [Int]()) { tensors, tensor in
            if !tensors.contains(tensor) { tensors.append(tensor) }
        }.map { tensor in
            let node = main.tensors[tensor]
            return Segment(tensor: tensor, type: node.type, quantization: node.quantization, shape: node.shape)
        }
        guard !segments.isEmpty,
            segments.allSatisfy({ $0.type == .float32 || [.uInt8, .int8].contains($0.type) && $0.quantization != nil })
        else { throw .noFeatures }
        operators = Self.operators(before: segments.map(\.tensor), producers, main)
        scoreType = main.tensors[main.outputs[output]].type
        self.model = model
        self.inputShape = inputShape
        for position in operators { try Self.check(main.operators[position], graph) }
    }

    /// The operators that compute some tensors of a model.
    ///
    /// - Throws: `ModelTrunkError`.
    init(of model: Model, tensors: [Int], inputShape: [Int]?) throws(ModelTrunkError) {
        let graph = model.graph
        guard graph.subgraphs.count == 1, let main = graph.subgraphs.first else {
            throw .layout(reason: "it has \(graph.subgraphs.count) subgraphs")
        }
        var producers: [Int: Int] = [:]
        for (position, node) in main.operators.enumerated() {
            for output in node.outputs { producers[output] = position }
        }
        segments = tensors.map { tensor in
            let node = main.tensors[tensor]
            return Segment(tensor: tensor, type: node.type, quantization: node.quantization, shape: node.shape)
        }
        operators = Self.operators(before: tensors, producers, main)
        scoreType = .float32
        (self.model, self.inputShape) = (model, inputShape)
        for position in operators { try Self.check(main.operators[position], graph) }
    }

    /// Whether an operator is a layer that multiplies one vector with constant weights.
    private static func isLayer(
        _ node: ModelGraph.OperatorNode,
        _ name: String,
        _ main: ModelGraph.Subgraph
    ) -> Bool {
        guard node.inputs.count >= 2, node.inputs[0] >= 0, node.inputs[1] >= 0 else { return false }
        let (input, weights) = (main.tensors[node.inputs[0]], main.tensors[node.inputs[1]])
        guard input.constant == nil, weights.constant != nil, let count = input.shape.last, count > 0,
            input.shape.dropLast().allSatisfy({ $0 == 1 })
        else { return false }
        switch name {
        case "FULLY_CONNECTED": return weights.shape.count == 2 && weights.shape[1] == count
        case "CONV_2D": return weights.shape.count == 4 && Array(weights.shape.dropFirst()) == [1, 1, count]
        default: return false
        }
    }

    /// The positions of the operators that some tensors depend on, in their order.
    private static func operators(
        before tensors: [Int],
        _ producers: [Int: Int],
        _ main: ModelGraph.Subgraph
    ) -> [Int] {
        var found: Set<Int> = []
        var rest = tensors
        while let tensor = rest.popLast() {
            guard let position = producers[tensor], found.insert(position).inserted else { continue }
            rest += main.operators[position].inputs.filter { $0 >= 0 }
        }
        return found.sorted()
    }

    /// Operators whose options refer to texts or lists, which the copy of a table would lose.
    private static let uncopied: Set = ["BUCKETIZE", "CONCAT_EMBEDDINGS", "VAR_HANDLE"]

    private static func check(
        _ node: ModelGraph.OperatorNode,
        _ graph: ModelGraph
    ) throws(ModelTrunkError) {
        let code = graph.operatorCodes[node.code]
        guard !code.isCustom, !uncopied.contains(code.name), !BuiltinOperator.controlFlow.contains(code.name),
            !BuiltinOperator.stateful.contains(code.name)
        else { throw .layout(reason: "its operator \(code.name) cannot be copied") }
    }
}

/// A reason why a model cannot be cut before its last layer.
package enum ModelTrunkError: Error, Sendable, Hashable {
    /// Nothing before the scores is a layer that reads one vector.
    case noFeatures
    /// The file has a layout that cannot be copied; `reason` is a clause about the model.
    case layout(reason: String)
    /// The written model did not pass the checks.
    case invalid(reason: String)
}

extension ModelTrunkError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    package var description: String {
        switch self {
        case .noFeatures:
            "The model has no last layer that can be replaced: before its scores, no FULLY_CONNECTED or CONV_2D reads one vector; "
                + "start from a classifier such as mobilenet-v2."
        case .layout(let reason):
            "The model cannot be cut because \(reason); start from another classifier, such as mobilenet-v2."
        case .invalid(let reason):
            "The trained model would not run (\(reason)); start from another classifier, such as mobilenet-v2."
        }
    }

    /// The same sentence as `description`.
    package var errorDescription: String? { description }
}

extension ModelTrunk {
    /// The number of bytes of the features of a picture, as the model stores them.
    package var byteCount: Int {
        segments.reduce(0) { $0 + $1.count * ($1.type == .float32 ? MemoryLayout<Float>.size : 1) }
    }

    /// The real values of stored features; nil if there are not ``byteCount`` bytes.
    package func values(of stored: Data) -> [Float]? {
        guard stored.count == byteCount else { return nil }
        var values: [Float] = []
        values.reserveCapacity(featureCount)
        stored.withUnsafeBytes { bytes in
            var place = 0
            for segment in segments {
                let scale = segment.quantization?.scale ?? 1
                let zeroPoint = segment.quantization?.zeroPoint ?? 0
                for _ in 0..<segment.count {
                    switch segment.type {
                    case .float32:
                        values.append(Float(bitPattern: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
                        place += MemoryLayout<Float>.size
                    case .int8:
                        values.append(scale * Float(Int(Int8(bitPattern: bytes[place])) - zeroPoint))
                        place += 1
                    default:
                        values.append(scale * Float(Int(bytes[place]) - zeroPoint))
                        place += 1
                    }
                }
            }
        }
        return values
    }
}

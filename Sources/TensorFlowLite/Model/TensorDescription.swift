/// What a model says about an input or output before any memory exists for it.
public struct TensorDescription: Sendable, Hashable {
    /// The tensor's name.
    public let name: String
    /// The type of the elements.
    public let dataType: Tensor.DataType
    /// The dimensions, −1 where the input may be resized.
    public let shape: Tensor.Shape
    /// How real values are stored as integers; nil for a tensor that is not quantised with one scale.
    public let quantizationParameters: QuantizationParameters?
    /// The operator that computes the tensor; nil for an input.
    public let producer: TensorProducer?

    /// Creates a description.
    public init(
        name: String,
        dataType: Tensor.DataType,
        shape: Tensor.Shape,
        quantizationParameters: QuantizationParameters? = nil,
        producer: TensorProducer? = nil
    ) {
        self.name = name
        self.dataType = dataType
        self.shape = shape
        self.quantizationParameters = quantizationParameters
        self.producer = producer
    }
}

/// An operator that a model uses.
public struct OperatorDescription: Sendable, Hashable {
    /// The schema's name, for example `CONV_2D`, or the custom code, for example `TFLite_Detection_PostProcess`.
    public let name: String
    /// Whether the operator is not one that TensorFlow Lite has built in.
    public let isCustom: Bool
    /// How often the model uses it.
    public let count: Int
}

extension ModelGraph {
    /// Describes one side of the main subgraph.
    func descriptions(of side: KeyPath<Subgraph, [Int]>) throws(ModelError) -> [TensorDescription] {
        guard let main = subgraphs.first else { return [] }
        var descriptions: [TensorDescription] = []
        for index in main[keyPath: side] {
            let tensor = main.tensors[index]
            guard let dataType = tensor.type.dataType else {
                throw .unsupported(.elementType(tensor: tensor.name, type: "\(tensor.type)"))
            }
            descriptions.append(
                TensorDescription(
                    name: tensor.name,
                    dataType: dataType,
                    shape: Tensor.Shape(tensor.signatureShape),
                    quantizationParameters: tensor.quantization,
                    producer: main.producer(of: index, codes: operatorCodes)
                )
            )
        }
        return descriptions
    }

    var operatorDescriptions: [OperatorDescription] {
        var counts = [Int](repeating: 0, count: operatorCodes.count)
        for node in subgraphs.lazy.flatMap(\.operators) { counts[node.code] += 1 }
        var byName: [String: OperatorDescription] = [:]
        for (code, count) in zip(operatorCodes, counts) where count > 0 {
            byName[code.name] = OperatorDescription(
                name: code.name,
                isCustom: code.isCustom,
                count: count + (byName[code.name]?.count ?? 0)
            )
        }
        return byName.values.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }
}

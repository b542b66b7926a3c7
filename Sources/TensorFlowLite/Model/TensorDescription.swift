/// A model's description of an input or output, available before any memory exists for it.
public struct TensorDescription: Sendable, Hashable {
    /// The tensor's name.
    public let name: String
    /// The type of the elements.
    public let dataType: Tensor.DataType
    /// The dimensions; −1 where the input may be resized.
    public let shape: Tensor.Shape
    /// The dimensions as long as no input is resized: those of ``shape``, with the file's number instead of −1.
    package private(set) var defaultShape: Tensor.Shape
    /// The mapping from stored integers to real values; nil for a tensor that is not quantized with a single scale.
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
        defaultShape = shape
        self.quantizationParameters = quantizationParameters
        self.producer = producer
    }

    /// The same tensor with the dimensions that it has as long as no input is resized.
    package func with(defaultShape: Tensor.Shape) -> TensorDescription {
        var description = self
        description.defaultShape = defaultShape
        return description
    }
}

/// An operator that a model uses.
public struct OperatorDescription: Sendable, Hashable {
    /// The schema's name, for example `CONV_2D`, or the custom code, for example `TFLite_Detection_PostProcess`.
    public let name: String
    /// Whether the operator is custom, that is, not built into TensorFlow Lite.
    public let isCustom: Bool
    /// The number of its uses in the model.
    public let count: Int

    package init(name: String, isCustom: Bool, count: Int) {
        (self.name, self.isCustom, self.count) = (name, isCustom, count)
    }
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
                .with(defaultShape: Tensor.Shape(tensor.shape))
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

/// The contents of a model file: tensors, operators, signatures. Every index in it is in range.
///
/// Source of the slot numbers: the TensorFlow Lite schema, version 3.
struct ModelGraph: Sendable {
    struct TensorNode: Sendable {
        let name: String
        var type: ElementType
        /// Dimensions as stored in the file, never negative.
        let shape: [Int]
        /// Dimensions with −1 where the input may be resized; equal to `shape` if the file does not state them.
        let signatureShape: [Int]
        var byteCount: Int
        /// The position of the constant data in the file; nil for a computed tensor.
        let constant: Range<Int>?
        let isVariable: Bool
        let quantization: QuantizationParameters?
        /// Whether the tensor has a scale, either a single one or one per channel.
        let hasScale: Bool
        /// The values of a small constant of sizes or indices; empty for every other tensor.
        let integers: [Int64]
    }

    struct OperatorNode: Sendable {
        /// Index into `operatorCodes`.
        let code: Int
        /// Tensor indices; −1 stands for an omitted input.
        let inputs: [Int]
        let outputs: [Int]
        /// The number of its options in the schema's union; 0 if it has no options.
        let options: Int
        /// The options that ``OperatorRule`` checks, by slot.
        let optionNumbers: [Int: Int]
        /// The options of a custom operator.
        let customOptions: [String: Double]
    }

    struct OperatorCode: Sendable {
        let name: String
        let isCustom: Bool
    }

    struct Subgraph: Sendable {
        var tensors: [TensorNode]
        let inputs: [Int]
        let outputs: [Int]
        let operators: [OperatorNode]
    }

    struct Signature: Sendable {
        struct Entry: Sendable {
            let name: String
            let tensor: Int
        }
        let key: String
        let subgraph: Int
        let inputs: [Entry]
        let outputs: [Entry]
    }

    let operatorCodes: [OperatorCode]
    /// At least one; the first is the main one.
    let subgraphs: [Subgraph]
    let signatures: [Signature]
    /// The positions of the metadata buffers in the file, by name.
    let metadata: [String: Range<Int>]
    /// Valid features that the runtime lacks, as far as they are visible while reading.
    let limitations: [ModelLimitation]
}

/// What a model file says: tensors, operators, signatures. Every index in it is in range.
///
/// Source of the slot numbers: the TensorFlow Lite schema, version 3.
struct ModelGraph: Sendable {
    struct TensorNode: Sendable {
        let name: String
        var type: ElementType
        /// Dimensions as the file stores them, none negative.
        let shape: [Int]
        /// Dimensions with −1 where the input may be resized; equal to `shape` where the file says nothing.
        let signatureShape: [Int]
        var byteCount: Int
        /// Where in the file the constant data lies; nil for a tensor that is computed.
        let constant: Range<Int>?
        let isVariable: Bool
        let quantization: QuantizationParameters?
        /// Whether there is a scale at all: one, or one per channel.
        let hasScale: Bool
        /// The values of a small constant of sizes or indices; empty for every other tensor.
        let integers: [Int64]
    }

    struct OperatorNode: Sendable {
        /// Index into `operatorCodes`.
        let code: Int
        /// Tensor indices; −1 stands for an input that is left out.
        let inputs: [Int]
        let outputs: [Int]
        /// Which of the schema's options it carries; 0 for none.
        let options: Int
        /// Those of its options that ``OperatorRule`` speaks of, by slot.
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
    /// Where in the file the metadata buffers lie, by name.
    let metadata: [String: Range<Int>]
    /// What the file has that is in order but cannot be run, as far as reading shows it.
    let limitations: [ModelLimitation]
}

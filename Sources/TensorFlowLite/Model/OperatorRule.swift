/// The conditions that the kernel of an operator assumes. The kernel crashes if they are not met.
///
/// Source: the kernels' own documentation in the TensorFlow Lite schema, and fuzzing. An operator without a rule is
/// rejected, so that a flipped bit in an operator's number cannot reach a kernel with unknown conditions.
struct OperatorRule: Sendable {
    /// The allowed number of inputs.
    let inputs: ClosedRange<Int>
    /// The allowed number of outputs.
    let outputs: ClosedRange<Int>
    /// The number of its options in the schema's union BuiltinOptions; 0 if it has no options.
    var options = 0
    /// Whether the options must be there: without them the kernel would, for example, divide by a stride of 0.
    var needsOptions = false
    /// Inputs that hold indices or sizes and therefore are int32 or int64.
    var integers: [Int] = []
    /// The position of the single input that may be omitted.
    var optional: Int?
    /// Whether 8-bit operands need a scale.
    var needsScale = false
    /// Whether it multiplies its inputs, so that the scales of inputs and output need not be similar.
    var multiplies = false

    /// The operands that have the same element type.
    var types = SameTypes.none

    /// Slots of options with a value of at least 1: strides, dilations, window and block sizes.
    var positive: [Int] = []
    /// The same for options that default to 1.
    var positiveIfPresent: [Int] = []
    /// Whether the kernel gives its output the type of its second input and ignores the file.
    var givesOutputItsType = false
    /// Whether the first option states the number of outputs.
    var countsOutputs = false
    /// Whether the first option states the number of inputs.
    var countsInputs = false

    /// Operands with the same element type: the kernel writes as many bytes as it reads.
    enum SameTypes: Sendable {
        case none
        /// The outputs and the first input.
        case firstInput
        /// The outputs and the first two inputs, or all inputs if their number is open.
        case bothInputs
        /// The inputs, but not the output.
        case inputsAlone
    }

    /// The rule of the operator with the given name, or nil if there is no rule.
    static func rule(for name: String) -> OperatorRule? { rules[name] }

    /// Whether the conditions of the operator's kernel are known.
    static func knows(_ code: ModelGraph.OperatorCode) -> Bool {
        code.isCustom ? code.name == detectionPostProcess : rule(for: code.name) != nil
    }

    /// The custom operator that the runtime includes.
    static let detectionPostProcess = "TFLite_Detection_PostProcess"

    private static let rules: [String: OperatorRule] = [
        "ABS": OperatorRule(inputs: 1...1, outputs: 1...1, options: 78, types: .firstInput),
        "ADD": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 11,
            needsScale: true,
            types: .bothInputs,
            givesOutputItsType: true
        ),
        "ADD_N": OperatorRule(inputs: 1...Int.max, outputs: 1...1, options: 82, types: .bothInputs),
        "ARG_MAX": OperatorRule(inputs: 2...2, outputs: 1...1, options: 40, needsOptions: true, integers: [1]),
        "ARG_MIN": OperatorRule(inputs: 2...2, outputs: 1...1, options: 57, needsOptions: true, integers: [1]),
        "ATAN2": OperatorRule(inputs: 2...2, outputs: 1...1, types: .bothInputs),
        "AVERAGE_POOL_2D": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 5,
            needsOptions: true,
            needsScale: true,
            types: .firstInput,
            positive: [1, 2, 3, 4]
        ),
        "BATCH_MATMUL": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 101,
            needsScale: true,
            multiplies: true,
            types: .bothInputs
        ),
        "BATCH_TO_SPACE_ND": OperatorRule(
            inputs: 3...3,
            outputs: 1...1,
            options: 24,
            integers: [1, 2],
            types: .firstInput
        ),
        "BROADCAST_ARGS": OperatorRule(inputs: 2...2, outputs: 1...1, integers: [0, 1]),
        "BROADCAST_TO": OperatorRule(inputs: 2...2, outputs: 1...1, options: 104, integers: [1], types: .firstInput),
        "CAST": OperatorRule(inputs: 1...1, outputs: 1...1, options: 37),
        "CEIL": OperatorRule(inputs: 1...1, outputs: 1...1, types: .firstInput),
        "CONCATENATION": OperatorRule(
            inputs: 1...Int.max,
            outputs: 1...1,
            options: 10,
            needsOptions: true,
            needsScale: true,
            types: .bothInputs
        ),
        "CONV_2D": OperatorRule(
            inputs: 2...3,
            outputs: 1...1,
            options: 1,
            needsOptions: true,
            optional: 2,
            needsScale: true,
            multiplies: true,
            types: .firstInput,
            positive: [1, 2],
            positiveIfPresent: [4, 5]
        ),
        "CONV_3D": OperatorRule(
            inputs: 2...3,
            outputs: 1...1,
            options: 106,
            needsOptions: true,
            optional: 2,
            types: .firstInput,
            positive: [1, 2, 3],
            positiveIfPresent: [5, 6, 7]
        ),
        "COS": OperatorRule(inputs: 1...1, outputs: 1...1, options: 84, types: .firstInput),
        "CUMSUM": OperatorRule(inputs: 2...2, outputs: 1...1, options: 102, integers: [1], types: .firstInput),
        "DEPTHWISE_CONV_2D": OperatorRule(
            inputs: 2...3,
            outputs: 1...1,
            options: 2,
            needsOptions: true,
            optional: 2,
            needsScale: true,
            multiplies: true,
            types: .firstInput,
            positive: [1, 2],
            positiveIfPresent: [5, 6]
        ),
        "DEPTH_TO_SPACE": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 94,
            needsOptions: true,
            types: .firstInput,
            positive: [0]
        ),
        "DEQUANTIZE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 38, needsScale: true),
        "DIV": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 29,
            needsScale: true,
            multiplies: true,
            types: .bothInputs
        ),
        "ELU": OperatorRule(inputs: 1...1, outputs: 1...1, types: .firstInput),
        "EMBEDDING_LOOKUP": OperatorRule(inputs: 2...2, outputs: 1...1, integers: [0]),
        "DYNAMIC_UPDATE_SLICE": OperatorRule(
            inputs: 3...3,
            outputs: 1...1,
            options: 117,
            integers: [2],
            types: .bothInputs
        ),
        "EQUAL": OperatorRule(inputs: 2...2, outputs: 1...1, options: 53, types: .inputsAlone),
        "EXP": OperatorRule(inputs: 1...1, outputs: 1...1, options: 33, types: .firstInput),
        "EXPAND_DIMS": OperatorRule(inputs: 2...2, outputs: 1...1, options: 52, integers: [1], types: .firstInput),
        "FAKE_QUANT": OperatorRule(inputs: 1...1, outputs: 1...1, options: 58, needsOptions: true, types: .firstInput),
        "FILL": OperatorRule(inputs: 2...2, outputs: 1...1, options: 68, integers: [0]),
        "FLOOR": OperatorRule(inputs: 1...1, outputs: 1...1, types: .firstInput),
        "FLOOR_DIV": OperatorRule(inputs: 2...2, outputs: 1...1, options: 65, types: .bothInputs),
        "FLOOR_MOD": OperatorRule(inputs: 2...2, outputs: 1...1, options: 72, types: .bothInputs),
        "FULLY_CONNECTED": OperatorRule(
            inputs: 2...3,
            outputs: 1...1,
            options: 8,
            needsOptions: true,
            optional: 2,
            needsScale: true,
            multiplies: true,
            types: .firstInput
        ),
        "GATHER": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 23,
            needsOptions: true,
            integers: [1],
            types: .firstInput
        ),
        "GATHER_ND": OperatorRule(inputs: 2...2, outputs: 1...1, options: 83, integers: [1], types: .firstInput),
        "GELU": OperatorRule(inputs: 1...1, outputs: 1...1, options: 116, needsScale: true, types: .firstInput),
        "GREATER": OperatorRule(inputs: 2...2, outputs: 1...1, options: 44, types: .inputsAlone),
        "GREATER_EQUAL": OperatorRule(inputs: 2...2, outputs: 1...1, options: 45, types: .inputsAlone),
        "HARD_SWISH": OperatorRule(inputs: 1...1, outputs: 1...1, options: 91, needsScale: true, types: .firstInput),
        "L2_NORMALIZATION": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 12,
            needsScale: true,
            types: .firstInput
        ),
        "L2_POOL_2D": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 5,
            needsOptions: true,
            types: .firstInput,
            positive: [1, 2, 3, 4]
        ),
        "LEAKY_RELU": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 75,
            needsOptions: true,
            needsScale: true,
            types: .firstInput
        ),
        "LESS": OperatorRule(inputs: 2...2, outputs: 1...1, options: 41, types: .inputsAlone),
        "LESS_EQUAL": OperatorRule(inputs: 2...2, outputs: 1...1, options: 46, types: .inputsAlone),
        "LOCAL_RESPONSE_NORMALIZATION": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 13,
            needsOptions: true,
            types: .firstInput
        ),
        "LOG": OperatorRule(inputs: 1...1, outputs: 1...1, types: .firstInput),
        "LOGICAL_AND": OperatorRule(inputs: 2...2, outputs: 1...1, options: 62, types: .bothInputs),
        "LOGICAL_NOT": OperatorRule(inputs: 1...1, outputs: 1...1, options: 63, types: .firstInput),
        "LOGICAL_OR": OperatorRule(inputs: 2...2, outputs: 1...1, options: 60, types: .bothInputs),
        "LOGISTIC": OperatorRule(inputs: 1...1, outputs: 1...1, needsScale: true, types: .firstInput),
        "LOG_SOFTMAX": OperatorRule(inputs: 1...1, outputs: 1...1, options: 36, needsScale: true, types: .firstInput),
        "MAXIMUM": OperatorRule(inputs: 2...2, outputs: 1...1, options: 39, types: .bothInputs),
        "MAX_POOL_2D": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 5,
            needsOptions: true,
            needsScale: true,
            types: .firstInput,
            positive: [1, 2, 3, 4]
        ),
        "MEAN": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 27,
            needsOptions: true,
            integers: [1],
            needsScale: true,
            types: .firstInput
        ),
        "MINIMUM": OperatorRule(inputs: 2...2, outputs: 1...1, options: 39, types: .bothInputs),
        "MIRROR_PAD": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 77,
            needsOptions: true,
            integers: [1],
            types: .firstInput
        ),
        "MUL": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 21,
            needsScale: true,
            multiplies: true,
            types: .bothInputs
        ),
        "NEG": OperatorRule(inputs: 1...1, outputs: 1...1, options: 42, types: .firstInput),
        "NON_MAX_SUPPRESSION_V4": OperatorRule(inputs: 5...5, outputs: 2...2, options: 95),
        "NON_MAX_SUPPRESSION_V5": OperatorRule(inputs: 6...6, outputs: 3...3, options: 96),
        "NOT_EQUAL": OperatorRule(inputs: 2...2, outputs: 1...1, options: 54, types: .inputsAlone),
        "ONE_HOT": OperatorRule(inputs: 4...4, outputs: 1...1, options: 61, needsOptions: true, integers: [0, 1]),
        "PACK": OperatorRule(
            inputs: 1...Int.max,
            outputs: 1...1,
            options: 59,
            needsOptions: true,
            types: .bothInputs,
            countsInputs: true
        ),
        "PAD": OperatorRule(inputs: 2...2, outputs: 1...1, options: 22, integers: [1], types: .firstInput),
        "PADV2": OperatorRule(inputs: 3...3, outputs: 1...1, options: 43, integers: [1], types: .firstInput),
        "POW": OperatorRule(inputs: 2...2, outputs: 1...1, options: 56, types: .bothInputs),
        "PRELU": OperatorRule(inputs: 2...2, outputs: 1...1, needsScale: true, multiplies: true, types: .firstInput),
        "QUANTIZE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 89, needsScale: true),
        "RANGE": OperatorRule(inputs: 3...3, outputs: 1...1, options: 73),
        "RANK": OperatorRule(inputs: 1...1, outputs: 1...1, options: 86),
        "REDUCE_ALL": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 27,
            needsOptions: true,
            integers: [1],
            types: .firstInput
        ),
        "REDUCE_ANY": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 27,
            needsOptions: true,
            integers: [1],
            types: .firstInput
        ),
        "REDUCE_MAX": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 27,
            needsOptions: true,
            integers: [1],
            types: .firstInput
        ),
        "REDUCE_MIN": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 27,
            needsOptions: true,
            integers: [1],
            types: .firstInput
        ),
        "REDUCE_PROD": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 27,
            needsOptions: true,
            integers: [1],
            types: .firstInput
        ),
        "RELU": OperatorRule(inputs: 1...1, outputs: 1...1, needsScale: true, types: .firstInput),
        "RELU6": OperatorRule(inputs: 1...1, outputs: 1...1, needsScale: true, types: .firstInput),
        "RELU_0_TO_1": OperatorRule(inputs: 1...1, outputs: 1...1, needsScale: true, types: .firstInput),
        "RELU_N1_TO_1": OperatorRule(inputs: 1...1, outputs: 1...1, needsScale: true, types: .firstInput),
        "RESHAPE": OperatorRule(inputs: 1...2, outputs: 1...1, options: 17, integers: [1], types: .firstInput),
        "RESIZE_BILINEAR": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 15,
            needsOptions: true,
            integers: [1],
            types: .firstInput
        ),
        "RESIZE_NEAREST_NEIGHBOR": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 74,
            integers: [1],
            types: .firstInput
        ),
        "REVERSE_V2": OperatorRule(inputs: 2...2, outputs: 1...1, options: 81, integers: [1], types: .firstInput),
        "ROUND": OperatorRule(inputs: 1...1, outputs: 1...1, types: .firstInput),
        "RSQRT": OperatorRule(inputs: 1...1, outputs: 1...1, needsScale: true, types: .firstInput),
        "SCATTER_ND": OperatorRule(inputs: 3...3, outputs: 1...1, options: 97, integers: [0, 2]),
        "SELECT": OperatorRule(inputs: 3...3, outputs: 1...1, options: 47),
        "SELECT_V2": OperatorRule(inputs: 3...3, outputs: 1...1, options: 98),
        "SHAPE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 55),
        "SIGN": OperatorRule(inputs: 1...1, outputs: 1...1, types: .firstInput),
        "SIN": OperatorRule(inputs: 1...1, outputs: 1...1, types: .firstInput),
        "SLICE": OperatorRule(inputs: 3...3, outputs: 1...1, options: 48, integers: [1, 2], types: .firstInput),
        "SOFTMAX": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 9,
            needsOptions: true,
            needsScale: true,
            types: .firstInput
        ),
        "SPACE_TO_BATCH_ND": OperatorRule(
            inputs: 3...3,
            outputs: 1...1,
            options: 25,
            integers: [1, 2],
            types: .firstInput
        ),
        "SPACE_TO_DEPTH": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 19,
            needsOptions: true,
            types: .firstInput,
            positive: [0]
        ),
        "SPLIT": OperatorRule(
            inputs: 2...2,
            outputs: 1...Int.max,
            options: 35,
            needsOptions: true,
            integers: [0],
            countsOutputs: true
        ),
        "SPLIT_V": OperatorRule(
            inputs: 3...3,
            outputs: 1...Int.max,
            options: 79,
            needsOptions: true,
            integers: [1, 2],
            types: .firstInput,
            countsOutputs: true
        ),
        "SQRT": OperatorRule(inputs: 1...1, outputs: 1...1, types: .firstInput),
        "SQUARE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 66, types: .firstInput),
        "SQUARED_DIFFERENCE": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 76,
            needsScale: true,
            multiplies: true,
            types: .bothInputs
        ),
        "SQUEEZE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 30, needsOptions: true, types: .firstInput),
        "STRIDED_SLICE": OperatorRule(
            inputs: 4...4,
            outputs: 1...1,
            options: 32,
            needsOptions: true,
            integers: [1, 2, 3],
            types: .firstInput
        ),
        "SUB": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 28,
            needsScale: true,
            types: .bothInputs,
            givesOutputItsType: true
        ),
        "SUM": OperatorRule(
            inputs: 2...2,
            outputs: 1...1,
            options: 27,
            needsOptions: true,
            integers: [1],
            needsScale: true,
            types: .firstInput
        ),
        "TANH": OperatorRule(inputs: 1...1, outputs: 1...1, needsScale: true, types: .firstInput),
        "TILE": OperatorRule(inputs: 2...2, outputs: 1...1, options: 51, integers: [1], types: .firstInput),
        "TOPK_V2": OperatorRule(inputs: 2...2, outputs: 2...2, options: 34, integers: [1], types: .firstInput),
        "TRANSPOSE": OperatorRule(inputs: 2...2, outputs: 1...1, options: 26, integers: [1], types: .firstInput),
        "TRANSPOSE_CONV": OperatorRule(
            inputs: 3...4,
            outputs: 1...1,
            options: 49,
            needsOptions: true,
            integers: [0],
            optional: 3,
            needsScale: true,
            positive: [1, 2]
        ),
        "UNIQUE": OperatorRule(inputs: 1...1, outputs: 2...2, options: 80, needsOptions: true),
        "UNPACK": OperatorRule(
            inputs: 1...1,
            outputs: 1...Int.max,
            options: 64,
            needsOptions: true,
            types: .firstInput,
            countsOutputs: true
        ),
        "WHERE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 85),
        "ZEROS_LIKE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 67, types: .firstInput),
    ]
}

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
    /// Slots of options on which the size of the output depends.
    var sizing: [Int] = []
    /// The same for options that are true or false.
    var flags: [Int] = []
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

    private static let rules = [arithmetic, layers, arrangement].reduce(into: [:]) { $0.merge($1) { rule, _ in rule } }
}

// Kinds of operators, and their variations, for the tables of rules.
extension OperatorRule {
    /// An operator that writes an element for each element of its input.
    static func unary(options: Int = 0) -> OperatorRule {
        OperatorRule(inputs: 1...1, outputs: 1...1, options: options, types: .firstInput)
    }

    /// An operator of two inputs of the same type.
    static func binary(options: Int = 0) -> OperatorRule {
        OperatorRule(inputs: 2...2, outputs: 1...1, options: options, types: .bothInputs)
    }

    /// An operator of two inputs of the same type whose output is a truth value.
    static func comparison(options: Int) -> OperatorRule {
        OperatorRule(inputs: 2...2, outputs: 1...1, options: options, types: .inputsAlone)
    }

    /// An operator whose `integers` among several inputs hold indices or sizes.
    static func indexed(_ inputs: Int, options: Int, integers: [Int]) -> OperatorRule {
        OperatorRule(
            inputs: inputs...inputs,
            outputs: 1...1,
            options: options,
            integers: integers,
            types: .firstInput
        )
    }

    /// An operator that reduces its input along the axes in its second input.
    static let reduction = indexed(2, options: 27, integers: [1]).needingOptions

    /// An operator with an input, a kernel and perhaps a bias.
    ///
    /// - Parameters:
    ///   - options: the number of its options in the schema's union.
    ///   - strides: the slots of its strides.
    ///   - dilations: the slots of its dilations.
    static func convolution(options: Int, strides: [Int], dilations: [Int]) -> OperatorRule {
        OperatorRule(
            inputs: 2...3,
            outputs: 1...1,
            options: options,
            needsOptions: true,
            optional: 2,
            types: .firstInput,
            positive: strides,
            positiveIfPresent: dilations
        )
    }

    /// An operator that slides a window over its input.
    static let pooling = OperatorRule(
        inputs: 1...1,
        outputs: 1...1,
        options: 5,
        needsOptions: true,
        types: .firstInput,
        positive: [1, 2, 3, 4]
    )

    /// The same rule for an operator whose options must be there.
    var needingOptions: OperatorRule { with(\.needsOptions) }

    /// The same rule for an operator whose 8-bit operands need a scale.
    var scaled: OperatorRule { with(\.needsScale) }

    /// The same rule for an operator that multiplies its inputs.
    var multiplying: OperatorRule { with(\.multiplies) }

    /// The same rule for an operator that gives its output the type of its second input.
    var typingItsOutput: OperatorRule { with(\.givesOutputItsType) }

    /// The same rule for an operator whose output's size depends on options.
    func sized(by slots: [Int] = [], flags: [Int] = []) -> OperatorRule {
        var rule = self
        (rule.sizing, rule.flags) = (slots, flags)
        return rule
    }

    private func with(_ condition: WritableKeyPath<OperatorRule, Bool>) -> OperatorRule {
        var rule = self
        rule[keyPath: condition] = true
        return rule
    }
}

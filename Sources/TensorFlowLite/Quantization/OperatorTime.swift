/// Estimated times of operators, by which the search decides which layers may stay float.
///
/// In nanoseconds on one thread of a processor with instructions for 8-bit products (AVX-512 VNNI). Only their ratios matter, so they
/// are constants: the same model and pictures lead to the same file on every machine.
struct OperatorTime {
    /// The times for each multiplication and each element of the output, as float and as int8.
    private let multiplication: (float: Double, int8: Double)
    private let element: (float: Double, int8: Double)

    /// The time for an element that becomes int8 or float.
    static let conversion = 0.006

    func float(_ work: OperatorWork) -> Double {
        work.multiplications * multiplication.float + work.elements * element.float
    }
    func int8(_ work: OperatorWork) -> Double {
        work.multiplications * multiplication.int8 + work.elements * element.int8
    }

    init(of name: String) {
        switch name {
        case "CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV":
            (multiplication, element) = ((0.0075, 0.0018), (0.08, 0.09))
        // The products of each channel by itself gain nothing.
        case "DEPTHWISE_CONV_2D": (multiplication, element) = ((0.023, 0.023), (0, 0))
        case "LOGISTIC", "TANH": (multiplication, element) = ((0, 0), (0.09, 0.007))
        case "ADD", "LEAKY_RELU", "MUL", "SUB": (multiplication, element) = ((0, 0), (0.027, 0.007))
        case "MAX_POOL_2D": (multiplication, element) = ((0, 0), (0.36, 0.11))
        case "RESIZE_NEAREST_NEIGHBOR": (multiplication, element) = ((0, 0), (0.11, 0.02))
        case "RELU", "RELU6", "RELU_0_TO_1", "RELU_N1_TO_1": (multiplication, element) = ((0, 0), (0.003, 0))
        default: (multiplication, element) = ((0, 0), (0.03, 0.01))
        }
    }
}

/// The multiplications of an operator with weights, and the elements of its output.
struct OperatorWork {
    let multiplications: Double
    let elements: Double
}

extension FloatNetwork {
    func work(of position: Int) -> OperatorWork {
        let operation = operators[position]
        let elements = operation.outputs.reduce(0.0) { $0 + Double(tensors[$1].elementCount) }
        guard let rule = QuantizationRule.rule(for: operation.name)?.weights,
            operation.inputs.indices.contains(rule.input), operation.inputs[rule.input] >= 0
        else { return OperatorWork(multiplications: 0, elements: elements) }
        let weights = tensors[operation.inputs[rule.input]].shape
        guard weights.indices.contains(rule.channelDimension) else {
            return OperatorWork(multiplications: 0, elements: elements)
        }
        let products = weights.reduce(1, *) / max(weights[rule.channelDimension], 1)
        return OperatorWork(multiplications: elements * Double(products), elements: elements)
    }

    /// The estimated time of a plan's operators before the last layers, with the conversions that it needs.
    func time(of plan: QuantizationPlan, _ links: Links) -> Double {
        var time = 0.0
        var isInt8 = [Bool](repeating: false, count: tensors.count)
        for (position, operation) in operators.enumerated() {
            let estimate = OperatorTime(of: operation.name)
            let work = work(of: position)
            time += plan.isQuantized[position] ? estimate.int8(work) : estimate.float(work)
            if plan.isQuantized[position] { for output in operation.outputs { isInt8[output] = true } }
        }
        for (tensor, consumers) in links.consumers.enumerated() where tensors[tensor].isComputedFloat {
            let isRead = consumers.contains { plan.isQuantized[$0] != isInt8[tensor] }
            if isRead { time += OperatorTime.conversion * Double(tensors[tensor].elementCount) }
        }
        return time
    }
}

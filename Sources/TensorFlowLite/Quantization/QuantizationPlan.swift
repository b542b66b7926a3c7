/// The operators of a network that compute with int8, and the tensors that share a scale.
struct QuantizationPlan {
    /// Whether each operator computes with int8.
    private(set) var isQuantized: [Bool]
    /// Whether each operator is a last layer, with int8 weights but float activations: scores and coordinates need finer steps than
    /// 256.
    private(set) var isHead: [Bool]
    /// The activation functions that need no operator: the limits of the layer before them cut the same values.
    private(set) var isAbsorbed: [Bool]
    /// The operators that stay as they are, though int8 layers follow them.
    private(set) var kept: [KeptOperator] = []
    /// The tensor that stands for all tensors of the same scale.
    private var representatives: [Int]
    /// The limits at which the range of a representative's tensors has to cut their values.
    private var cuts: [Int: ClosedRange<Float>] = [:]

    private let network: FloatNetwork
    private let links: FloatNetwork.Links

    /// - Parameter excluded: The positions of operators that compute with floats in any case.
    init(_ network: FloatNetwork, excluding excluded: Set<Int> = []) {
        self.network = network
        links = network.links()
        representatives = Array(network.tensors.indices)
        isAbsorbed = [Bool](repeating: false, count: network.operators.count)
        isHead = isAbsorbed
        let leading = Self.leading(network, links)
        var obstacles: [String: KeptOperator] = [:]
        isQuantized = network.operators.indices.map { position in
            guard leading[position], !excluded.contains(position) else { return false }
            guard let obstacle = network.obstacle(toQuantizing: network.operators[position]) else { return true }
            let name = network.operators[position].name
            obstacles[name + obstacle, default: KeptOperator(name: name, count: 0, reason: obstacle)].count += 1
            return false
        }
        for position in layers where Self.heads.contains(network.operators[position].name) {
            guard !network.operators[position].outputs.contains(where: { links.consumers[$0].contains { leading[$0] } })
            else { continue }
            isHead[position] = true
            isQuantized[position] = false
        }
        for position in isQuantized.indices where isQuantized[position] && !isAbsorbable(position) {
            let name = network.operators[position].name
            guard QuantizationRule.rule(for: name)?.limits != nil else { continue }
            isQuantized[position] = false
            obstacles[name, default: KeptOperator(name: name, count: 0, reason: FloatNetwork.slow)].count += 1
        }
        kept = obstacles.values.sorted { ($0.name, $0.reason) < ($1.name, $1.reason) }
        dropUnlinked()
        absorbActivations()
        shareScales()
    }

    /// The layers with weights that compute with int8.
    var layers: [Int] {
        isQuantized.indices.filter {
            isQuantized[$0] && QuantizationRule.rule(for: network.operators[$0].name)?.weights != nil
        }
    }

    /// The layers that the runtime computes fast with int8 weights and float activations.
    private static let heads: Set = ["CONV_2D", "FULLY_CONNECTED"]

    /// Whether each operator is a layer with weights, or such a layer needs its results. What comes behind the last layers are
    /// thresholds, coordinates, and probabilities: little work that needs all digits.
    private static func leading(_ network: FloatNetwork, _ links: FloatNetwork.Links) -> [Bool] {
        var leading = [Bool](repeating: false, count: network.operators.count)
        for position in network.operators.indices.reversed() {
            let operation = network.operators[position]
            leading[position] =
                QuantizationRule.rule(for: operation.name)?.weights != nil
                || operation.outputs.contains { links.consumers[$0].contains { leading[$0] } }
        }
        return leading
    }

    /// The inputs of an operator that hold values and are computed.
    private func values(of operation: FloatNetwork.Operator) -> [Int] {
        guard let rule = QuantizationRule.rule(for: operation.name) else { return [] }
        return zip(0..., operation.inputs).filter { place, tensor in
            tensor >= 0 && rule.values.contains(place) && network.tensors[tensor].constant == nil
        }.map(\.1)
    }

    /// Keeps only operators that are linked with a layer by nothing but int8 operators: others would need conversions.
    private mutating func dropUnlinked() {
        var linked: Set<Int> = []
        var rest = layers
        while let position = rest.popLast() {
            guard linked.insert(position).inserted else { continue }
            let operation = network.operators[position]
            rest += values(of: operation).compactMap { links.producers[$0] }.filter { isQuantized[$0] }
            rest += operation.outputs.flatMap { links.consumers[$0] }.filter { isQuantized[$0] }
        }
        for position in isQuantized.indices where !linked.contains(position) { isQuantized[position] = false }
    }

    // MARK: - Activation functions

    /// Whether an operator only cuts values that the operator before it can cut.
    private func isAbsorbable(_ position: Int) -> Bool {
        let operation = network.operators[position]
        guard isQuantized[position], QuantizationRule.rule(for: operation.name)?.limits != nil,
            let input = operation.inputs.first, links.consumers[input].count == 1, !network.outputs.contains(input),
            let producer = links.producers[input], isQuantized[producer],
            let rule = QuantizationRule.rule(for: network.operators[producer].name), rule.limits == nil,
            case .own = rule.scales
        else { return false }
        return true
    }

    private mutating func absorbActivations() {
        for (position, operation) in network.operators.enumerated() where isAbsorbable(position) {
            isAbsorbed[position] = true
            join(operation.inputs[0], operation.outputs[0])
            cuts[representative(operation.outputs[0])] = QuantizationRule.rule(for: operation.name)?.limits
        }
    }

    // MARK: - Shared scales

    /// The tensor whose scale a tensor has.
    func representative(_ tensor: Int) -> Int {
        var tensor = tensor
        while representatives[tensor] != tensor { tensor = representatives[tensor] }
        return tensor
    }

    private mutating func join(_ one: Int, _ other: Int) {
        let (first, second) = (representative(one), representative(other))
        representatives[max(first, second)] = min(first, second)
        cuts[min(first, second)] = cuts[first] ?? cuts[second]
    }

    private mutating func shareScales() {
        // Operators of one value pass on any scale, a demanded one too.
        var joining: [(output: Int, inputs: [Int], isComputed: Bool)] = []
        for (position, operation) in network.operators.enumerated() where isQuantized[position] {
            guard let rule = QuantizationRule.rule(for: operation.name), case .shared = rule.scales else { continue }
            for output in operation.outputs.dropFirst() { join(operation.outputs[0], output) }
            let values = values(of: operation)
            let isComputed = hasOnlyComputedValues(operation)
            if values.count == 1, isComputed {
                join(values[0], operation.outputs[0])
            } else {
                joining.append((operation.outputs[0], values, isComputed))
            }
        }
        let demanded = Set(network.tensors.indices.filter { fixed($0) != nil }.map(representative))
        for (output, inputs, isComputed) in joining {
            // A range that cuts values holds no values that are not cut.
            let limits = Set(inputs.map { cuts[representative($0)] })
            if isComputed, limits.count == 1, let cut = limits.first { cuts[representative(output)] = cut }
            for input in inputs where links.consumers[input].count == 1 {
                // A tensor that others read keeps its own finer scale, and is converted for this operator.
                let (one, other) = (representative(input), representative(output))
                guard !demanded.contains(one), !demanded.contains(other), cuts[one] == cuts[other] else { continue }
                join(one, other)
            }
        }
    }

    /// The scale that the kernel of a tensor's operator demands, if it computes with int8.
    func fixed(_ tensor: Int) -> QuantizationParameters? {
        guard let producer = links.producers[tensor], isQuantized[producer],
            let rule = QuantizationRule.rule(for: network.operators[producer].name),
            case .fixed(let scale, let zeroPoint) = rule.scales
        else { return nil }
        return QuantizationParameters(scale: scale, zeroPoint: zeroPoint)
    }

    // MARK: - Ranges

    /// The tensors that int8 operators read or compute.
    var touched: [Int] {
        var found: Set<Int> = []
        for (position, operation) in network.operators.enumerated() where isQuantized[position] {
            found.formUnion(values(of: operation) + operation.outputs)
        }
        return found.sorted()
    }

    /// The tensors whose values decide about a scale: those that int8 operators read or compute, except where a kernel decides or
    /// where the values are those of another tensor.
    var deciding: [Int] { touched.filter { fixed($0) == nil && !isRepeated($0) } }

    /// The results of the last layers, by which errors are measured; all outputs if there are none.
    var results: [Int] {
        let found = isHead.indices.filter { isHead[$0] }.map { network.operators[$0].outputs[0] }
        return found.isEmpty ? network.outputs.filter { network.tensors[$0].isComputedFloat } : found
    }

    /// Whether a tensor holds only values of another tensor of the same scale.
    private func isRepeated(_ tensor: Int) -> Bool {
        guard let producer = links.producers[tensor], isQuantized[producer] else { return false }
        if isAbsorbed[producer] { return true }
        let operation = network.operators[producer]
        guard let rule = QuantizationRule.rule(for: operation.name), case .shared = rule.scales else { return false }
        return values(of: operation).count == 1 && hasOnlyComputedValues(operation)
    }

    /// Whether no input that holds values is a constant.
    private func hasOnlyComputedValues(_ operation: FloatNetwork.Operator) -> Bool {
        guard let rule = QuantizationRule.rule(for: operation.name) else { return false }
        return operation.inputs.enumerated().allSatisfy { place, input in
            input < 0 || !rule.values.contains(place) || network.tensors[input].constant == nil
        }
    }

    /// The function of a tensor to which errors count.
    func reading(of tensor: Int) -> Reading {
        guard !network.outputs.contains(tensor) else { return .identity }
        let consumers = links.consumers[tensor]
        if consumers.count == 2, isSwish(tensor, consumers) { return .swish }
        let readings = Set(
            consumers.map { consumer in
                let operation = network.operators[consumer]
                switch operation.name {
                case "LOGISTIC": return Reading.logistic
                case "TANH": return .tanh
                case "HARD_SWISH": return .hardSwish
                default:
                    if let limits = QuantizationRule.rule(for: operation.name)?.limits { return .cut(limits) }
                    let isForwarding = isQuantized[consumer] && operation.outputs.allSatisfy { isRepeated($0) }
                    guard isForwarding, operation.outputs.count == 1 else { return .identity }
                    return reading(of: operation.outputs[0])
                }
            }
        )
        return readings.count == 1 ? readings.first ?? .identity : .identity
    }

    /// Whether nothing reads a tensor but a `LOGISTIC` and the `MUL` of both.
    private func isSwish(_ tensor: Int, _ consumers: [Int]) -> Bool {
        guard let logistic = consumers.first(where: { network.operators[$0].name == "LOGISTIC" }),
            let product = consumers.first(where: { network.operators[$0].name == "MUL" })
        else { return false }
        let gate = network.operators[logistic].outputs[0]
        return Set(network.operators[product].inputs) == [tensor, gate] && links.consumers[gate] == [product]
    }
}

extension FloatNetwork {
    fileprivate static let slow = "it has no int8 kernel that is known to be fast"

    /// The reason why an operator computes with floats; nil if it can compute with int8.
    func obstacle(toQuantizing operation: Operator) -> String? {
        guard let rule = QuantizationRule.rule(for: operation.name), operation.customOptions == nil else {
            return Self.slow
        }
        let values = zip(0..., operation.inputs).filter { rule.values.contains($0) && $1 >= 0 }.map(\.1)
        guard !values.isEmpty, values.allSatisfy({ tensors[$0].type == .float32 }),
            operation.outputs.allSatisfy({ tensors[$0].isComputedFloat })
        else { return "it computes with other types than float32" }
        guard values.contains(where: { tensors[$0].constant == nil }) else { return "all of its inputs are constant" }
        guard values.allSatisfy({ tensors[$0].shape.count <= rule.rank }),
            operation.outputs.allSatisfy({ tensors[$0].shape.count <= rule.rank })
        else { return "it has more than \(rule.rank) dimensions" }
        return rule.weights.flatMap { obstacle(toQuantizing: operation, $0) }
    }

    private func obstacle(toQuantizing operation: Operator, _ rule: QuantizationRule.Weights) -> String? {
        guard operation.inputs.indices.contains(rule.input), operation.inputs[rule.input] >= 0 else {
            return "it has no weights"
        }
        let weights = tensors[operation.inputs[rule.input]]
        guard weights.constant != nil, weights.type == .float32, weights.shape.count == rule.rank,
            !weights.shape.contains(0)
        else { return "its weights are not constant" }
        guard operation.shuffling == 0 else { return "its weights are shuffled" }
        guard operation.inputs.indices.contains(rule.bias), operation.inputs[rule.bias] >= 0 else { return nil }
        let bias = tensors[operation.inputs[rule.bias]]
        guard bias.constant != nil, bias.type == .float32, bias.elementCount == weights.shape[rule.channelDimension]
        else {
            return "its bias is not constant"
        }
        return nil
    }
}

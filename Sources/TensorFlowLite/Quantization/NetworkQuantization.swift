/// Writes the int8 form of a network: the operators of a plan with int8 tensors, and conversions where they meet others.
struct NetworkQuantization {
    /// The scales of tensors by their representative.
    typealias Scales = [Int: QuantizationParameters]

    private let original: FloatNetwork
    private let plan: QuantizationPlan
    private let scales: Scales
    private let statistics: [Int: ActivationStatistics]
    private let file: FlatBuffer
    private(set) var network: FloatNetwork
    /// The int8 form of each tensor in each scale.
    private var forms: [Form: Int] = [:]
    /// The tensors whose float form exists.
    private var hasFloats: Set<Int> = []

    private struct Form: Hashable {
        let tensor: Int
        let parameters: QuantizationParameters
    }

    private static let quantizeCode = FloatNetwork.Code(builtin: 114, version: 1, name: "QUANTIZE")
    private static let dequantizeCode = FloatNetwork.Code(builtin: 6, version: 2, name: "DEQUANTIZE")

    /// - Parameters:
    ///   - statistics: The values of the float tensors, for the means of the layers' inputs.
    static func network(
        of original: FloatNetwork,
        _ plan: QuantizationPlan,
        _ scales: Scales,
        _ statistics: [Int: ActivationStatistics],
        in file: FlatBuffer
    ) throws -> FloatNetwork {
        var quantization = NetworkQuantization(original, plan, scales, statistics, file)
        try quantization.run()
        return quantization.network
    }

    private init(
        _ original: FloatNetwork,
        _ plan: QuantizationPlan,
        _ scales: Scales,
        _ statistics: [Int: ActivationStatistics],
        _ file: FlatBuffer
    ) {
        (self.original, self.plan, self.scales) = (original, plan, scales)
        (self.statistics, self.file) = (statistics, file)
        network = original
        network.operators = []
    }

    private mutating func run() throws {
        hasFloats = Set(original.inputs)
        for (position, operation) in original.operators.enumerated() {
            if plan.isAbsorbed[position] {
                let (input, output) = (operation.inputs[0], operation.outputs[0])
                let parameters = parameters(of: output)
                forms[Form(tensor: output, parameters: parameters)] = int8(input, parameters)
            } else if plan.isQuantized[position], let rule = QuantizationRule.rule(for: operation.name) {
                try convert(operation, rule)
            } else {
                for input in operation.inputs where input >= 0 { float(input) }
                network.operators.append(plan.isHead[position] ? try head(operation) : operation)
                hasFloats.formUnion(operation.outputs)
            }
        }
        for output in original.outputs { float(output) }
    }

    // MARK: - Tensors

    private func parameters(of tensor: Int) -> QuantizationParameters {
        scales[plan.representative(tensor)] ?? ActivationRange(0, 0).parameters
    }

    /// The int8 form of a computed tensor in a scale.
    private mutating func int8(_ tensor: Int, _ parameters: QuantizationParameters) -> Int {
        let form = Form(tensor: tensor, parameters: parameters)
        if let known = forms[form] { return known }
        let result = addInt8(tensor, parameters)
        forms[form] = result
        let own = Form(tensor: tensor, parameters: self.parameters(of: tensor))
        // From another int8 form if there is one: the float form may not exist.
        if let other = forms[own], other != result {
            append(Self.quantizeCode, 89, other, result)
        } else {
            append(Self.quantizeCode, 89, tensor, result)
        }
        return result
    }

    private mutating func addInt8(_ tensor: Int, _ parameters: QuantizationParameters) -> Int {
        var form = network.tensors[tensor]
        // Names of inner tensors appear only in messages.
        form.name = String(form.name.prefix(100)) + "_int8"
        form.type = .int8
        form.constant = nil
        form.scales = TensorScales(parameters.scale, zeroPoint: parameters.zeroPoint)
        return network.add(form)
    }

    /// Computes the float form of a tensor, unless it exists.
    private mutating func float(_ tensor: Int) {
        guard network.tensors[tensor].constant == nil, hasFloats.insert(tensor).inserted,
            let int8 = forms[Form(tensor: tensor, parameters: parameters(of: tensor))]
        else { return }
        append(Self.dequantizeCode, 38, int8, tensor)
    }

    private mutating func append(_ code: FloatNetwork.Code, _ options: Int, _ input: Int, _ output: Int) {
        network.operators.append(
            FloatNetwork.Operator(code: code, inputs: [input], outputs: [output], options: (options, .table([:])))
        )
    }

    // MARK: - Operators

    private mutating func convert(_ operation: FloatNetwork.Operator, _ rule: QuantizationRule) throws {
        var new = operation
        new.code.version = max(operation.code.version, rule.version)
        let output = parameters(of: operation.outputs[0])
        for (place, tensor) in operation.inputs.enumerated() where tensor >= 0 && rule.values.contains(place) {
            let isShared = if case .shared = rule.scales { true } else { false }
            if let values = try original.floats(tensor, in: file) {
                new.inputs[place] = constant(tensor, values, isShared ? output : nil)
            } else {
                new.inputs[place] = int8(tensor, isShared ? output : parameters(of: tensor))
            }
        }
        if let weights = rule.weights {
            try addWeights(
                weights,
                of: operation,
                to: &new,
                input: parameters(of: operation.inputs[rule.firstValue]),
                output
            )
        }
        for (place, tensor) in operation.outputs.enumerated() {
            let parameters = parameters(of: tensor)
            let form = addInt8(tensor, parameters)
            forms[Form(tensor: tensor, parameters: parameters)] = form
            new.outputs[place] = form
        }
        network.operators.append(new)
    }

    /// The int8 form of a constant that is computed with.
    private mutating func constant(_ tensor: Int, _ values: [Float], _ shared: QuantizationParameters?) -> Int {
        let parameters = shared ?? ActivationRange(values.min() ?? 0, values.max() ?? 0, atLeast: 1e-6).parameters
        let form = addInt8(tensor, parameters)
        network.tensors[form].constant = .bytes(
            values.map { value in
                let place = (value / parameters.scale).rounded(.toNearestOrEven) + Float(parameters.zeroPoint)
                return UInt8(bitPattern: place.isFinite ? Int8(min(max(place, -128), 127)) : 0)
            }
        )
        return form
    }

    // MARK: - Weights

    /// The largest bias: kernels add the products of a layer to it in 32 bits.
    private static let largestBias: Float = 0x1p29
    /// The least ratio of a channel's scales that kernels can represent.
    private static let leastRatio: Float = 0x1p-30

    private mutating func addWeights(
        _ rule: QuantizationRule.Weights,
        of operation: FloatNetwork.Operator,
        to new: inout FloatNetwork.Operator,
        input: QuantizationParameters,
        _ output: QuantizationParameters
    ) throws {
        let tensor = operation.inputs[rule.input]
        guard let weights = try original.floats(tensor, in: file) else { return }
        let layout = ChannelLayout(shape: original.tensors[tensor].shape, dimension: rule.channelDimension)
        let biasTensor = operation.inputs.indices.contains(rule.bias) ? operation.inputs[rule.bias] : -1
        var biases =
            try original.floats(biasTensor, in: file) ?? [Float](repeating: 0, count: layout.channelCount)
        let leastScales = biases.map { bias in
            max(abs(bias) / (input.scale * Self.largestBias), Self.leastRatio * output.scale / input.scale, 1e-30)
        }
        let quantized = QuantizedWeights(weights, layout, leastScales: leastScales)
        if let means = means(of: operation, rule) {
            for channel in biases.indices {
                biases[channel] -= Float(quantized.meanError(of: channel, weights, means: means))
            }
        }
        var form = original.tensors[tensor]
        form.type = .int8
        form.constant = .bytes(quantized.values.map(UInt8.init(bitPattern:)))
        form.scales = TensorScales(perChannel: quantized.scales, dimension: rule.channelDimension)
        new.inputs[rule.input] = network.add(form)
        var bytes: [UInt8] = []
        for (bias, scale) in zip(biases, quantized.scales) {
            let value = (Double(bias) / (Double(input.scale) * Double(scale))).rounded(.toNearestOrEven)
            let integer = value.isFinite ? Int32(min(max(value, -0x1p30), 0x1p30)) : 0
            withUnsafeBytes(of: integer.littleEndian) { bytes += $0 }
        }
        var bias = FloatNetwork.Tensor(
            name: form.name + "_bias",
            type: .int32,
            shape: [layout.channelCount],
            constant: .bytes(bytes)
        )
        bias.scales = TensorScales(perChannel: quantized.scales.map { input.scale * $0 }, dimension: 0)
        let index = network.add(bias)
        while new.inputs.count <= rule.bias { new.inputs.append(-1) }
        new.inputs[rule.bias] = index
    }

    /// A layer with int8 weights and float activations.
    private mutating func head(_ operation: FloatNetwork.Operator) throws -> FloatNetwork.Operator {
        guard let rule = QuantizationRule.rule(for: operation.name)?.weights,
            let weights = try original.floats(operation.inputs[rule.input], in: file)
        else { return operation }
        var new = operation
        new.code.version = max(operation.code.version, 3)
        var form = original.tensors[operation.inputs[rule.input]]
        let layout = ChannelLayout(shape: form.shape, dimension: rule.channelDimension)
        let leastScales = [Float](repeating: 1e-30, count: layout.channelCount)
        let quantized = QuantizedWeights(weights, layout, leastScales: leastScales)
        form.type = .int8
        form.constant = .bytes(quantized.values.map(UInt8.init(bitPattern:)))
        form.scales = TensorScales(perChannel: quantized.scales, dimension: rule.channelDimension)
        new.inputs[rule.input] = network.add(form)
        return new
    }

    /// The mean of the input that a weight is multiplied with, by the weight's place; nil if it is not known.
    private func means(of operation: FloatNetwork.Operator, _ rule: QuantizationRule.Weights) -> ((Int) -> Double)? {
        guard let place = QuantizationRule.rule(for: operation.name)?.firstValue,
            let statistics = statistics[operation.inputs[place]], !statistics.isEmpty
        else { return nil }
        let means = statistics.means
        let shape = original.tensors[operation.inputs[rule.input]].shape
        guard let last = shape.last, last > 0, !means.isEmpty else { return nil }
        if rule.channelDimension != 0 {
            // Each input channel has so many output channels.
            let multiplier = max(last / means.count, 1)
            return { means[min($0 % last / multiplier, means.count - 1)] }
        }
        guard rule.rank == 4, last < means.count else { return { means[$0 % last % means.count] } }
        // The groups of a grouped convolution read different channels.
        let (groups, size) = (max(means.count / last, 1), shape.reduce(1, *) / max(shape[0], 1))
        let channelsOfGroup = max(shape[0] / groups, 1)
        return { means[min($0 / max(size, 1) / channelsOfGroup * last + $0 % last, means.count - 1)] }
    }
}

extension QuantizationRule {
    /// The place of the first input that holds values.
    var firstValue: Int {
        switch values {
        case .all: 0
        case .only(let places): places.min() ?? 0
        }
    }
}

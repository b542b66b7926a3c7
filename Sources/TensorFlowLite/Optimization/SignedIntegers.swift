/// Rewrites a model that computes on uint8 tensors so that it computes on int8 tensors, which processors multiply faster.
///
/// An activation `q` becomes `q − 128`, and its zero point too, which changes no real value. Weights become symmetric for
/// each output channel (``SignedChannel``). Inputs and outputs keep their type. Operators without a tested int8 form
/// stay as they are, between conversions.
struct SignedIntegers {
    private var draft: ModelDraft
    /// The operators of the original model.
    private let originals: [ModelDraft.Operator]
    private let isConverted: [Bool]
    private let producers: [Int: Int]
    private let consumers: [[Int]]
    /// The operators of the new model.
    private var operators: [ModelDraft.Operator] = []
    /// The int8 form of uint8 tensors; the same index if a tensor changed in its place.
    private var signed: [Int: Int] = [:]
    private var channels = (exact: 0, all: 0)

    /// From so many values on, a conversion between uint8 and int8 is two operators, which the runtime's fast kernels
    /// fuse; a single operator is a slow loop.
    private static let leastFusedCount = 4096

    /// The rewritten operations.
    struct Outcome {
        var operatorCount: Int
        var exactChannels: Int
        var channels: Int
        /// The operators on uint8 tensors that stay as they are.
        var kept: [KeptOperator]
    }

    /// Rewrites a model; does nothing and returns nil if no layer with weights can be rewritten.
    static func apply(to draft: inout ModelDraft) throws -> Outcome? {
        var obstacles: [String: KeptOperator] = [:]
        var isConverted: [Bool] = []
        var hasWeights = false
        for operation in draft.operators {
            let operands = operation.inputs.filter { $0 >= 0 } + operation.outputs
            let concerns = operands.contains { draft.tensors[$0].type == .uInt8 }
            let code = draft.codes[operation.code]
            let obstacle = concerns ? try draft.obstacle(toSigning: operation) : nil
            isConverted.append(concerns && obstacle == nil)
            if let obstacle {
                let name = code.name
                obstacles[name + obstacle, default: KeptOperator(name: name, count: 0, reason: obstacle)].count += 1
            } else if concerns, SignedForm.form(of: code.name)?.channelDimension != nil {
                hasWeights = true
            }
        }
        guard hasWeights else { return nil }
        var rewriting = SignedIntegers(draft, isConverted)
        try rewriting.run()
        draft = rewriting.draft
        return Outcome(
            operatorCount: isConverted.count(where: \.self),
            exactChannels: rewriting.channels.exact,
            channels: rewriting.channels.all,
            kept: obstacles.values
                .filter { $0.name != OperatorRule.detectionPostProcess }
                .sorted { ($0.name, $0.reason) < ($1.name, $1.reason) }
        )
    }

    private init(_ draft: ModelDraft, _ isConverted: [Bool]) {
        self.draft = draft
        self.isConverted = isConverted
        originals = draft.operators
        var producers: [Int: Int] = [:]
        var consumers = [[Int]](repeating: [], count: draft.tensors.count)
        for (position, operation) in originals.enumerated() {
            for output in operation.outputs { producers[output] = position }
            for input in operation.inputs where input >= 0 { consumers[input].append(position) }
        }
        self.producers = producers
        self.consumers = consumers
    }

    private mutating func run() throws {
        for tensor in consumers.indices where draft.isUnsigned(tensor) { try sign(tensor) }
        for input in draft.inputs {
            if let twin = signed[input], twin != input { bridge(input, twin) }
        }
        for (position, operation) in originals.enumerated() {
            if isConverted[position] {
                try convert(operation)
            } else {
                try keep(operation)
            }
        }
        draft.operators = operators
    }

    // MARK: - Tensors

    /// Whether an operator takes the int8 form of its inputs, itself or after a conversion to float32.
    private func takesSigned(_ position: Int) -> Bool { isConverted[position] || isPostProcess(originals[position]) }

    private func isPostProcess(_ operation: ModelDraft.Operator) -> Bool {
        let code = draft.codes[operation.code]
        return code.isCustom && code.name == OperatorRule.detectionPostProcess
    }

    /// Gives a tensor its int8 form, if a converted operator uses it other than as weights.
    private mutating func sign(_ tensor: Int) throws {
        let users = consumers[tensor]
        guard let quantization = draft.tensors[tensor].quantization,
            (users + [producers[tensor]].compactMap(\.self)).contains(where: { isConverted[$0] })
        else { return }
        let scales = TensorScales(quantization.scale, zeroPoint: quantization.zeroPoint - 128)
        if let constant = draft.tensors[tensor].constant {
            // Weights are converted with their operator.
            let isData = users.contains {
                isConverted[$0] && SignedForm.form(of: draft.codes[originals[$0].code].name)?.channelDimension == nil
            }
            guard isData else { return }
            let bytes = try draft.bytes(of: constant).map { $0 ^ 0x80 }
            if draft.ownsData(tensor), users.allSatisfy({ isConverted[$0] }), !draft.ends.contains(tensor),
                users.allSatisfy({ !usesAsWeights($0, tensor) })
            {
                try draft.patch(constant, with: bytes)
                draft.retype(tensor, .int8, scales)
                signed[tensor] = tensor
            } else {
                let buffer = try draft.addBuffer(bytes)
                signed[tensor] = draft.addTensor(like: tensor, suffix: "_int8", .int8, scales, buffer: buffer)
            }
            return
        }
        let isInner =
            !draft.ends.contains(tensor) && users.allSatisfy(takesSigned)
            && (producers[tensor].map { isConverted[$0] } ?? false)
        if isInner {
            draft.retype(tensor, .int8, scales)
            signed[tensor] = tensor
        } else {
            signed[tensor] = draft.addTensor(like: tensor, suffix: "_int8", .int8, scales)
        }
    }

    private func usesAsWeights(_ position: Int, _ tensor: Int) -> Bool {
        SignedForm.form(of: draft.codes[originals[position].code].name)?.channelDimension != nil
            && originals[position].inputs.dropFirst().first == tensor
    }

    // MARK: - Operators

    private mutating func quantize(_ from: Int, _ to: Int) {
        let code = draft.code(114, "QUANTIZE", version: 1)
        operators.append(ModelDraft.Operator(code: code, inputs: [from], outputs: [to], optionsType: 89))
    }

    private mutating func dequantize(_ from: Int, _ to: Int) {
        let code = draft.code(6, "DEQUANTIZE", version: 2)
        operators.append(ModelDraft.Operator(code: code, inputs: [from], outputs: [to], optionsType: 38))
    }

    /// Converts a tensor from uint8 to int8 or back.
    private mutating func bridge(_ from: Int, _ to: Int) {
        let count = Tensor.Shape(draft.tensors[from].shape).elementCount ?? .max
        guard count >= Self.leastFusedCount else { return quantize(from, to) }
        let between = draft.addTensor(like: from, suffix: "_float", .float32, nil)
        dequantize(from, between)
        quantize(between, to)
    }

    /// Adds an unchanged operator.
    private mutating func keep(_ operation: ModelDraft.Operator) throws {
        var operation = operation
        if isPostProcess(operation), operation.inputs.contains(where: { signed[$0] != nil }) {
            operation.inputs = try operation.inputs.map { try real($0) }
            operation.isChanged = true
        }
        operators.append(operation)
        for output in operation.outputs {
            if let twin = signed[output], twin != output { bridge(output, twin) }
        }
    }

    /// The float32 form of a tensor. `TFLite_Detection_PostProcess` reads uint8 and float32, but not int8.
    private mutating func real(_ tensor: Int) throws -> Int {
        guard draft.isUnsigned(tensor) || signed[tensor] != nil else { return tensor }
        guard let constant = draft.tensors[tensor].constant, let quantization = draft.tensors[tensor].quantization
        else {
            let real = draft.addTensor(like: tensor, suffix: "_float", .float32, nil)
            dequantize(signed[tensor] ?? tensor, real)
            return real
        }
        var bytes: [UInt8] = []
        for value in try draft.bytes(of: constant) {
            let real = Float(Int(value) - quantization.zeroPoint) * quantization.scale
            withUnsafeBytes(of: real.bitPattern.littleEndian) { bytes += $0 }
        }
        let buffer = try draft.addBuffer(bytes)
        return draft.addTensor(like: tensor, suffix: "_float", .float32, nil, buffer: buffer)
    }

    /// Adds the int8 form of an operator.
    private mutating func convert(_ operation: ModelDraft.Operator) throws {
        let code = draft.codes[operation.code]
        guard let form = SignedForm.form(of: code.name) else { return }
        var new = operation
        if let dimension = form.channelDimension {
            new.inputs = try signedWeights(of: operation, dimension)
        } else {
            new.inputs = operation.inputs.map { signed[$0] ?? $0 }
        }
        new.outputs = operation.outputs.map { signed[$0] ?? $0 }
        if form.keepsScale { new.inputs = new.inputs.map { rescaled($0, as: new.outputs.first ?? $0) } }
        new.code = draft.code(code.builtin, code.name, version: max(code.version, form.version))
        new.isChanged = true
        operators.append(new)
        for output in operation.outputs {
            guard let twin = signed[output], twin != output else { continue }
            let isWanted = draft.ends.contains(output) || consumers[output].contains { !takesSigned($0) }
            if isWanted { bridge(twin, output) }
        }
    }

    /// A tensor with the scale and the zero point of another tensor: some int8 kernels do not rescale.
    private mutating func rescaled(_ tensor: Int, as model: Int) -> Int {
        guard let wanted = draft.tensors[model].quantization, draft.tensors[tensor].type == .int8,
            draft.tensors[tensor].quantization != wanted
        else { return tensor }
        let scales = TensorScales(wanted.scale, zeroPoint: wanted.zeroPoint)
        let result = draft.addTensor(like: tensor, suffix: "_rescaled", .int8, scales)
        quantize(tensor, result)
        return result
    }

    // MARK: - Weights

    /// The inputs of a layer, with its weights and its bias as symmetric integers for each output channel.
    private mutating func signedWeights(of operation: ModelDraft.Operator, _ dimension: Int) throws -> [Int] {
        var inputs = operation.inputs
        let (input, weights) = (draft.tensors[inputs[0]], draft.tensors[inputs[1]])
        inputs[0] = signed[inputs[0]] ?? inputs[0]
        guard let constant = weights.constant, let quantization = weights.quantization,
            let inputScale = input.quantization?.scale
        else { return inputs }
        let bytes = try draft.bytes(of: constant)
        let channelCount = weights.shape[dimension]
        // Channels lie one after another, or their weights take turns.
        let length = bytes.count / channelCount
        let (step, start) = dimension == 0 ? (1, length) : (channelCount, 1)
        var values = [UInt8](repeating: 0, count: bytes.count)
        var factors: [Double] = []
        for channel in 0..<channelCount {
            let places = (0..<length).lazy.map { channel * start + $0 * step }
            let result = SignedChannel(places.map { Int(bytes[$0]) - quantization.zeroPoint })
            for (place, value) in zip(places, result.values) { values[place] = UInt8(bitPattern: value) }
            factors.append(result.factor)
            if result.isExact { channels.exact += 1 }
        }
        channels.all += channelCount
        let scales = factors.map { Float(Double(quantization.scale) * $0) }
        inputs[1] = try replace(inputs[1], values, .int8, TensorScales(perChannel: scales, dimension: dimension))
        guard inputs.count > 2, inputs[2] >= 0, let biasConstant = draft.tensors[inputs[2]].constant else {
            return inputs
        }
        // A bias has the scale of input times weights. A scale in the file that differs from it wins.
        let product = Double(inputScale) * Double(quantization.scale)
        let ratio = draft.tensors[inputs[2]].quantization.map { Double($0.scale) / product } ?? 1
        let isExact = abs(ratio - 1) < 1e-5
        var biases: [UInt8] = []
        for (channel, factor) in factors.enumerated() {
            let bias = try draft.file.load(Int32.self, at: biasConstant.lowerBound + 4 * channel)
            let value = factor == 1 && isExact ? bias : Int32(clamping: Double(bias) * ratio / factor)
            withUnsafeBytes(of: value.littleEndian) { biases += $0 }
        }
        let biasScales = TensorScales(perChannel: scales.map { inputScale * $0 }, dimension: 0)
        inputs[2] = try replace(inputs[2], biases, .int32, biasScales)
        return inputs
    }

    /// Replaces the data of a constant in its place, or with another tensor if anything else uses the data.
    private mutating func replace(
        _ tensor: Int,
        _ bytes: [UInt8],
        _ type: ElementType,
        _ scales: TensorScales
    ) throws -> Int {
        if let constant = draft.tensors[tensor].constant, draft.ownsData(tensor), consumers[tensor].count == 1,
            !draft.ends.contains(tensor)
        {
            try draft.patch(constant, with: bytes)
            draft.retype(tensor, type, scales)
            return tensor
        }
        let buffer = try draft.addBuffer(bytes)
        return draft.addTensor(like: tensor, suffix: "_int8", type, scales, buffer: buffer)
    }
}

extension Int32 {
    /// The nearest number; 0 for NaN.
    fileprivate init(clamping value: Double) {
        let rounded = value.rounded(.toNearestOrEven)
        self = rounded >= 0x1p31 ? .max : rounded <= -0x1p31 ? .min : Int32(exactly: rounded) ?? 0
    }
}

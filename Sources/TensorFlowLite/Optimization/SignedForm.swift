/// The int8 form of an operator that computes on uint8 tensors.
///
/// The list contains only operators whose int8 kernel gives the same answers as the uint8 kernel, as seen in tests.
/// Source of the versions: op_version.cc of TensorFlow Lite.
struct SignedForm {
    /// The version of the operator from which on it computes on int8 tensors.
    let version: Int
    /// The dimension of the weights that belongs to the output channels; nil for an operator without weights.
    var channelDimension: Int?
    /// The number of dimensions of the weights.
    var weightRank = 4
    /// The scale and the zero point that the int8 kernel demands of its output; nil if it accepts all.
    var output: (scale: Float, zeroPoint: Int)?
    /// Whether its output must have the scale and the zero point of its inputs.
    var keepsScale = false
    /// The types of operands besides uint8.
    var otherTypes: Set<ElementType> = [.int32, .int64]

    static func form(of name: String) -> SignedForm? { forms[name] }

    private static let forms: [String: SignedForm] = [
        "ADD": SignedForm(version: 2),
        "ARG_MAX": SignedForm(version: 2),
        "AVERAGE_POOL_2D": SignedForm(version: 2),
        "CONCATENATION": SignedForm(version: 2, keepsScale: true),
        "CONV_2D": SignedForm(version: 3, channelDimension: 0),
        "DEPTHWISE_CONV_2D": SignedForm(version: 3, channelDimension: 3),
        "DEQUANTIZE": SignedForm(version: 2, otherTypes: [.float32]),
        "FULLY_CONNECTED": SignedForm(version: 4, channelDimension: 0, weightRank: 2),
        "LOGISTIC": SignedForm(version: 2, output: (1 / 256, -128)),
        "MAX_POOL_2D": SignedForm(version: 2),
        "MEAN": SignedForm(version: 2),
        "MUL": SignedForm(version: 2),
        "PAD": SignedForm(version: 2),
        "QUANTIZE": SignedForm(version: 1, otherTypes: [.float32, .int8]),
        "RELU6": SignedForm(version: 2),
        "RESHAPE": SignedForm(version: 1),
        "RESIZE_BILINEAR": SignedForm(version: 2),
        "RESIZE_NEAREST_NEIGHBOR": SignedForm(version: 2),
        "SOFTMAX": SignedForm(version: 2, output: (1 / 256, -128)),
        "SPLIT": SignedForm(version: 2),
        "SQUEEZE": SignedForm(version: 1),
    ]
}

extension ModelDraft {
    /// Whether a tensor holds uint8 values with a single scale and no state.
    func isUnsigned(_ index: Int) -> Bool {
        let tensor = tensors[index]
        return tensor.type == .uInt8 && tensor.quantization != nil && tensor.isPlain
    }

    /// The reason why an operator on uint8 tensors stays unchanged; nil if it has an int8 form.
    func obstacle(toSigning operation: Operator) throws(FlatBufferError) -> String? {
        let code = codes[operation.code]
        guard !code.isCustom, let form = SignedForm.form(of: code.name) else { return "no int8 form of it is tested" }
        let operands = operation.inputs.filter { $0 >= 0 } + operation.outputs
        for operand in operands {
            let type = tensors[operand].type
            guard type != .uInt8 || isUnsigned(operand) else {
                return "\"\(tensors[operand].name)\" has no single scale"
            }
            guard type == .uInt8 || form.otherTypes.contains(type) else {
                return "it also computes on \(type) tensors"
            }
        }
        if let table = operation.table, try !(table.integers(8, of: Int32.self) ?? []).isEmpty {
            return "it has intermediate tensors"
        }
        if let demanded = form.output, let output = operation.outputs.first,
            let found = tensors[output].quantization
        {
            guard abs(found.scale / demanded.scale - 1) < 1e-6, found.zeroPoint - 128 == demanded.zeroPoint else {
                return "its int8 form cannot give the scale of its output"
            }
        }
        return form.channelDimension == nil ? nil : try obstacle(toSigningWeightsOf: operation, form)
    }

    /// Kernels turn the ratio of the scales into a multiplier and a shift, and abort if the shift is too large. Real
    /// layers have ratios below 1.
    private static let greatestScaleRatio = 256.0

    private func obstacle(
        toSigningWeightsOf operation: Operator,
        _ form: SignedForm
    ) throws(FlatBufferError) -> String? {
        guard operation.inputs.count >= 2, operation.outputs.count == 1,
            [operation.inputs[0], operation.inputs[1], operation.outputs[0]].allSatisfy({ tensors[$0].type == .uInt8 })
        else { return "not all of its operands are uint8" }
        let (input, weights) = (tensors[operation.inputs[0]], tensors[operation.inputs[1]])
        guard input.constant == nil, weights.constant != nil, weights.shape.count == form.weightRank,
            !weights.shape.contains(0)
        else { return "its weights are not constant" }
        // Weights of a fully connected layer may be stored in another order.
        if form.weightRank == 2, let options = try operation.table?.table(4),
            try options.integer(1, default: Int8(0)) != 0
        {
            return "its weights are shuffled"
        }
        let scales = [input, weights, tensors[operation.outputs[0]]].map { Double($0.quantization?.scale ?? 0) }
        guard scales[0] * scales[1] < Self.greatestScaleRatio * scales[2] else { return "its scales are too far apart" }
        guard operation.inputs.count > 2, operation.inputs[2] >= 0 else { return nil }
        let bias = tensors[operation.inputs[2]]
        guard bias.type == .int32, bias.constant != nil,
            bias.shape.reduce(1, *) == weights.shape[form.channelDimension ?? 0]
        else { return "its bias is not constant" }
        return nil
    }
}

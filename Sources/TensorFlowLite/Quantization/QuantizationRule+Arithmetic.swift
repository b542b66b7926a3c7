extension QuantizationRule {
    /// Operators that compute each element of the output from elements of one or two inputs.
    static let arithmetic: [String: QuantizationRule] = [
        "ADD": QuantizationRule(version: 2, values: .all),
        "MEAN": QuantizationRule(version: 2, values: .only([0])),
        "MUL": QuantizationRule(version: 2, values: .all),
        "SUB": QuantizationRule(version: 2, values: .all),
    ]

    /// Functions of one value.
    ///
    /// `HARD_SWISH` and `PRELU` are missing: on x86, their int8 kernels take a hundred times as long as a conversion to floats and back.
    static let activations: [String: QuantizationRule] = [
        "LEAKY_RELU": QuantizationRule(version: 2, values: .all),
        "LOGISTIC": QuantizationRule(version: 2, values: .all, scales: .fixed(scale: 1 / 256, zeroPoint: -128)),
        "RELU": QuantizationRule(version: 2, values: .all, limits: 0...Float.infinity),
        "RELU6": QuantizationRule(version: 2, values: .all, limits: 0...6),
        "RELU_0_TO_1": QuantizationRule(version: 1, values: .all, limits: 0...1),
        "RELU_N1_TO_1": QuantizationRule(version: 1, values: .all, limits: -1...1),
        "TANH": QuantizationRule(version: 2, values: .all, scales: .fixed(scale: 1 / 128, zeroPoint: 0)),
    ]
}

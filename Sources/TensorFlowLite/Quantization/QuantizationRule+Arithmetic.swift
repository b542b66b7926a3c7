extension QuantizationRule {
    /// Operators that compute each element of the output from elements of one or two inputs.
    static let arithmetic: [String: QuantizationRule] = [
        "ADD": QuantizationRule(version: 2, values: .all, gains: true),
        "MEAN": QuantizationRule(version: 2, values: .only([0])),
        "MUL": QuantizationRule(version: 2, values: .all, gains: true),
        "SUB": QuantizationRule(version: 2, values: .all, gains: true),
    ]

    /// Functions of one value.
    static let activations: [String: QuantizationRule] = [
        "HARD_SWISH": QuantizationRule(version: 1, values: .all),
        "LEAKY_RELU": QuantizationRule(version: 2, values: .all),
        "LOGISTIC": QuantizationRule(version: 2, values: .all, scales: .fixed(scale: 1 / 256, zeroPoint: -128)),
        "PRELU": QuantizationRule(version: 1, values: .all),
        "RELU": QuantizationRule(version: 2, values: .all),
        "RELU6": QuantizationRule(version: 2, values: .all),
        "TANH": QuantizationRule(version: 2, values: .all, scales: .fixed(scale: 1 / 128, zeroPoint: 0)),
    ]
}

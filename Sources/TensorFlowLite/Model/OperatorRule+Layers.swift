extension OperatorRule {
    /// Operators of whole layers: convolutions, pooling, normalization, resizing, quantization and the selection of boxes.
    static let layers: [String: OperatorRule] = [
        "AVERAGE_POOL_2D": .pooling.scaled,
        "BATCH_MATMUL": .binary(options: 101).scaled.multiplying.sized(flags: [0, 1]),
        "CAST": OperatorRule(inputs: 1...1, outputs: 1...1, options: 37),
        "CONV_2D": .convolution(options: 1, strides: [1, 2], dilations: [4, 5]).scaled.multiplying,
        "CONV_3D": .convolution(options: 106, strides: [1, 2, 3], dilations: [5, 6, 7]),
        "DEPTHWISE_CONV_2D": .convolution(options: 2, strides: [1, 2], dilations: [5, 6]).scaled.multiplying,
        "DEQUANTIZE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 38, needsScale: true),
        "EMBEDDING_LOOKUP": OperatorRule(inputs: 2...2, outputs: 1...1, integers: [0]),
        "FAKE_QUANT": .unary(options: 58).needingOptions,
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
        "L2_NORMALIZATION": .unary(options: 12).scaled,
        "L2_POOL_2D": .pooling,
        "LOCAL_RESPONSE_NORMALIZATION": .unary(options: 13).needingOptions,
        "MAX_POOL_2D": .pooling.scaled,
        "NON_MAX_SUPPRESSION_V4": OperatorRule(inputs: 5...5, outputs: 2...2, options: 95),
        "NON_MAX_SUPPRESSION_V5": OperatorRule(inputs: 6...6, outputs: 3...3, options: 96),
        "QUANTIZE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 89, needsScale: true),
        "RESIZE_BILINEAR": .indexed(2, options: 15, integers: [1]).needingOptions,
        "RESIZE_NEAREST_NEIGHBOR": .indexed(2, options: 74, integers: [1]),
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
    ]
}

extension QuantizationRule {
    /// Layers with weights, which have a scale for each output channel.
    static let layers: [String: QuantizationRule] = [
        "CONV_2D": .layer(version: 3, channelDimension: 0, rank: 4),
        "DEPTHWISE_CONV_2D": .layer(version: 3, channelDimension: 3, rank: 4),
        "FULLY_CONNECTED": .layer(version: 4, channelDimension: 0, rank: 2),
        "TRANSPOSE_CONV": QuantizationRule(
            version: 3,
            values: .only([2]),
            weights: Weights(input: 1, bias: 3, channelDimension: 0, rank: 4)
        ),
    ]

    private static func layer(version: Int, channelDimension: Int, rank: Int) -> QuantizationRule {
        QuantizationRule(
            version: version,
            values: .only([0]),
            weights: Weights(input: 1, bias: 2, channelDimension: channelDimension, rank: rank)
        )
    }
}

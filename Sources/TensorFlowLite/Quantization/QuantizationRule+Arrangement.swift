extension QuantizationRule {
    /// Operators that copy, select, or arrange values, and so keep their scale.
    ///
    /// `AVERAGE_POOL_2D` is missing: on x86, its int8 kernel takes longer than a conversion to floats and back.
    static let arrangement: [String: QuantizationRule] = [
        "BATCH_TO_SPACE_ND": .keeping(version: 2),
        "CONCATENATION": QuantizationRule(version: 2, values: .all, scales: .shared),
        "DEPTH_TO_SPACE": .keeping(version: 2),
        "EXPAND_DIMS": .keeping(version: 1),
        "GATHER": .keeping(version: 2),
        "MAX_POOL_2D": .keeping(version: 2),
        "MAXIMUM": QuantizationRule(version: 2, values: .all, scales: .shared),
        "MINIMUM": QuantizationRule(version: 2, values: .all, scales: .shared),
        "PACK": QuantizationRule(version: 2, values: .all, scales: .shared),
        "PAD": .keeping(version: 2),
        "RESHAPE": .keeping(version: 1, rank: 5),
        "RESIZE_BILINEAR": .keeping(version: 2),
        "RESIZE_NEAREST_NEIGHBOR": .keeping(version: 2),
        "SLICE": .keeping(version: 2),
        "SPACE_TO_BATCH_ND": .keeping(version: 2),
        "SPACE_TO_DEPTH": .keeping(version: 2),
        "SPLIT": QuantizationRule(version: 2, values: .only([1]), scales: .shared),
        "SPLIT_V": .keeping(version: 2),
        "SQUEEZE": .keeping(version: 1),
        "STRIDED_SLICE": .keeping(version: 2),
        "TRANSPOSE": .keeping(version: 2, rank: 5),
        "UNPACK": .keeping(version: 2),
    ]

    /// The first input holds the values.
    private static func keeping(version: Int, rank: Int = 4) -> QuantizationRule {
        QuantizationRule(version: version, values: .only([0]), scales: .shared, rank: rank)
    }
}

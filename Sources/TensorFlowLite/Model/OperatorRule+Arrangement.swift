extension OperatorRule {
    /// Operators that copy, select, order, count or rearrange elements.
    static let arrangement: [String: OperatorRule] = [
        "ARG_MAX": OperatorRule(inputs: 2...2, outputs: 1...1, options: 40, needsOptions: true, integers: [1]),
        "ARG_MIN": OperatorRule(inputs: 2...2, outputs: 1...1, options: 57, needsOptions: true, integers: [1]),
        "BATCH_TO_SPACE_ND": .indexed(3, options: 24, integers: [1, 2]),
        "BROADCAST_ARGS": OperatorRule(inputs: 2...2, outputs: 1...1, integers: [0, 1]),
        "BROADCAST_TO": .indexed(2, options: 104, integers: [1]),
        "CONCATENATION": OperatorRule(
            inputs: 1...Int.max,
            outputs: 1...1,
            options: 10,
            needsOptions: true,
            needsScale: true,
            types: .bothInputs
        ),
        "DEPTH_TO_SPACE": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 94,
            needsOptions: true,
            types: .firstInput,
            positive: [0]
        ),
        "DYNAMIC_UPDATE_SLICE": OperatorRule(
            inputs: 3...3,
            outputs: 1...1,
            options: 117,
            integers: [2],
            types: .bothInputs
        ),
        "EXPAND_DIMS": .indexed(2, options: 52, integers: [1]),
        "FILL": OperatorRule(inputs: 2...2, outputs: 1...1, options: 68, integers: [0]),
        "GATHER": .indexed(2, options: 23, integers: [1]).needingOptions.sized(by: [0, 1]),
        "GATHER_ND": .indexed(2, options: 83, integers: [1]),
        "MIRROR_PAD": .indexed(2, options: 77, integers: [1]).needingOptions,
        "ONE_HOT": OperatorRule(inputs: 4...4, outputs: 1...1, options: 61, needsOptions: true, integers: [0, 1]),
        "PACK": OperatorRule(
            inputs: 1...Int.max,
            outputs: 1...1,
            options: 59,
            needsOptions: true,
            types: .bothInputs,
            countsInputs: true
        ),
        "PAD": .indexed(2, options: 22, integers: [1]),
        "PADV2": .indexed(3, options: 43, integers: [1]),
        "RANGE": OperatorRule(inputs: 3...3, outputs: 1...1, options: 73),
        "RANK": OperatorRule(inputs: 1...1, outputs: 1...1, options: 86),
        "RESHAPE": OperatorRule(inputs: 1...2, outputs: 1...1, options: 17, integers: [1], types: .firstInput),
        "REVERSE_V2": .indexed(2, options: 81, integers: [1]),
        "SCATTER_ND": OperatorRule(inputs: 3...3, outputs: 1...1, options: 97, integers: [0, 2]),
        "SELECT": OperatorRule(inputs: 3...3, outputs: 1...1, options: 47),
        "SELECT_V2": OperatorRule(inputs: 3...3, outputs: 1...1, options: 98),
        "SHAPE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 55),
        "SLICE": .indexed(3, options: 48, integers: [1, 2]),
        "SPACE_TO_BATCH_ND": .indexed(3, options: 25, integers: [1, 2]),
        "SPACE_TO_DEPTH": OperatorRule(
            inputs: 1...1,
            outputs: 1...1,
            options: 19,
            needsOptions: true,
            types: .firstInput,
            positive: [0]
        ),
        "SPLIT": OperatorRule(
            inputs: 2...2,
            outputs: 1...Int.max,
            options: 35,
            needsOptions: true,
            integers: [0],
            countsOutputs: true
        ),
        "SPLIT_V": OperatorRule(
            inputs: 3...3,
            outputs: 1...Int.max,
            options: 79,
            needsOptions: true,
            integers: [1, 2],
            types: .firstInput,
            countsOutputs: true
        ),
        "SQUEEZE": .unary(options: 30).needingOptions,
        "STRIDED_SLICE": .indexed(4, options: 32, integers: [1, 2, 3]).needingOptions,
        "TILE": .indexed(2, options: 51, integers: [1]),
        "TOPK_V2": OperatorRule(inputs: 2...2, outputs: 2...2, options: 34, integers: [1], types: .firstInput),
        "TRANSPOSE": .indexed(2, options: 26, integers: [1]),
        "UNIQUE": OperatorRule(inputs: 1...1, outputs: 2...2, options: 80, needsOptions: true),
        "UNPACK": OperatorRule(
            inputs: 1...1,
            outputs: 1...Int.max,
            options: 64,
            needsOptions: true,
            types: .firstInput,
            countsOutputs: true
        ),
        "WHERE": OperatorRule(inputs: 1...1, outputs: 1...1, options: 85),
        "ZEROS_LIKE": .unary(options: 67),
    ]
}

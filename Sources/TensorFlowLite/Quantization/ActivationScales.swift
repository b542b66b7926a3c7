/// The scales of a plan's tensors, from the ranges of their values.
struct ActivationScales {
    private let network: FloatNetwork
    private let statistics: [Int: ActivationStatistics]
    private let method: ActivationStatistics.Method
    /// The largest weight, and the largest bias, of each layer by its position.
    private let largest: [Int: (weight: Float, bias: Float)]

    /// - Parameter statistics: The values of the tensors.
    init(
        _ network: FloatNetwork,
        _ statistics: [Int: ActivationStatistics],
        _ method: ActivationStatistics.Method,
        in file: FlatBuffer
    ) throws(FlatBufferError) {
        (self.network, self.statistics, self.method) = (network, statistics, method)
        var largest: [Int: (weight: Float, bias: Float)] = [:]
        for (position, operation) in network.operators.enumerated() {
            guard let rule = QuantizationRule.rule(for: operation.name)?.weights else { continue }
            func magnitude(_ place: Int) throws(FlatBufferError) -> Float {
                guard operation.inputs.indices.contains(place) else { return 0 }
                return try network.floats(operation.inputs[place], in: file)?.lazy.map(abs).filter(\.isFinite).max()
                    ?? 0
            }
            largest[position] = (try magnitude(rule.input), try magnitude(rule.bias))
        }
        self.largest = largest
    }

    /// The scale of each group of tensors, by its representative.
    func scales(for plan: QuantizationPlan) -> NetworkQuantization.Scales {
        var ranges: [Int: ActivationRange] = [:]
        for tensor in plan.deciding {
            guard let values = statistics[tensor] else { continue }
            let reading = plan.reading(of: tensor)
            // Each value of a picture is a number of its own, so no rounding is better than any.
            let isInput = network.inputs.contains(tensor)
            var range = values.range(isInput ? .limits : method, for: reading)
            switch reading {
            case .cut(let limits):
                range = ActivationRange(max(range.least, limits.lowerBound), min(range.greatest, limits.upperBound))
            case .hardSwish: range = ActivationRange(max(range.least, -3), range.greatest)
            case .identity, .logistic, .tanh, .swish: break
            }
            let group = plan.representative(tensor)
            ranges[group] = ranges[group].map { $0.union(range) } ?? range
        }
        var scales = ranges.mapValues(\.parameters)
        var fixed: Set<Int> = []
        for tensor in network.tensors.indices {
            guard let demanded = plan.fixed(tensor) else { continue }
            scales[plan.representative(tensor)] = demanded
            fixed.insert(plan.representative(tensor))
        }
        var balance = ScaleBalance(scales: scales, fixed: fixed)
        balance.settle { raise(&$0, plan) }
        return balance.scales
    }

    /// Raises scales whose ratio to others kernels cannot represent: the runtime refuses a layer whose sums have steps 256 times as
    /// wide as its output's, and computes slowly where an addition has such operands. It happens where a tensor is nearly constant on
    /// all pictures, so wider steps lose nothing.
    private func raise(_ balance: inout ScaleBalance, _ plan: QuantizationPlan) {
        for (position, operation) in network.operators.enumerated()
        where plan.isQuantized[position] && !plan.isAbsorbed[position] {
            guard let rule = QuantizationRule.rule(for: operation.name), let output = operation.outputs.first else {
                continue
            }
            let result = plan.representative(output)
            let values = zip(0..., operation.inputs).filter { rule.values.contains($0) && $1 >= 0 }
                .map { plan.representative($1) }
            if let (weight, bias) = largest[position], let input = values.first {
                balance.raise(result, to: balance.scale(input) * weight / 127 / 128)
                balance.raise(result, to: bias * 0x1p-29 / 128)
                continue
            }
            switch (operation.name, rule.scales) {
            case ("MUL", _):
                let product = values.map { balance.scale($0) }.reduce(1, *)
                balance.raise(result, to: product / 128)
                for value in values where product > 0 {
                    balance.raise(value, to: balance.scale(value) * balance.scale(result) * 0x1p-15 / product)
                }
            case ("ADD", _), ("SUB", _), (_, .shared):
                for value in values {
                    balance.raise(result, to: balance.scale(value) / 64)
                    balance.raise(value, to: balance.scale(result) / 64)
                }
            default: break
            }
        }
    }
}

/// Scales that grow until they fit each other.
struct ScaleBalance {
    private(set) var scales: NetworkQuantization.Scales
    /// The groups whose scale a kernel demands.
    private let fixed: Set<Int>
    private var hasChanged = false

    /// A larger scale may demand larger ones before it; a network settles in few rounds.
    private static let rounds = 8

    init(scales: NetworkQuantization.Scales, fixed: Set<Int>) { (self.scales, self.fixed) = (scales, fixed) }

    /// The scale of a group; 0 if it has none.
    func scale(_ group: Int) -> Float { scales[group]?.scale ?? 0 }

    mutating func raise(_ group: Int, to least: Float) {
        guard let known = scales[group], known.scale < least, least.isFinite, !fixed.contains(group) else { return }
        scales[group] = QuantizationParameters(scale: least, zeroPoint: known.zeroPoint)
        hasChanged = true
    }

    mutating func settle(_ round: (inout ScaleBalance) -> Void) {
        for _ in 0..<Self.rounds {
            hasChanged = false
            round(&self)
            guard hasChanged else { return }
        }
    }
}

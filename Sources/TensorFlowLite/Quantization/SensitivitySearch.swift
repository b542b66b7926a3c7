import Foundation

/// Finds layers that lose too much as int8, each by itself.
///
/// A layer and what follows it up to the next layer is a *unit*. For each unit, a copy of the network in which it alone computes with
/// int8 runs on a few pictures. The error of the last layers' results is the noise that the unit adds; the noises of all units add up.
struct SensitivitySearch {
    let network: FloatNetwork
    let file: FlatBuffer
    let reading: TensorReading
    /// The scales of tensors and the means of the layers' inputs.
    let statistics: [Int: ActivationStatistics]
    let scales: (QuantizationPlan) -> NetworkQuantization.Scales

    /// The number of pictures.
    static let pictures = 4
    /// The noise, as a share of the results' variance, that all int8 units may add together.
    private static let tolerance = 0.03
    /// The share of all multiplications that may stay float.
    private static let floatShare = 0.3
    /// From so many units on, the search would take too long.
    private static let maximumUnits = 400

    /// The positions of operators that should compute with floats.
    func excluded(
        from plan: QuantizationPlan,
        _ samples: CalibrationSamples,
        progress: (Int, Int) -> Void
    ) throws -> Set<Int> {
        let units = units(of: plan)
        guard (2...Self.maximumUnits).contains(units.count), !plan.results.isEmpty else { return [] }
        let samples = samples.prefix(Self.pictures)
        let pictures = try (0..<samples.count).map { try samples.inputs($0) }
        let expected = try results(of: network, plan, pictures)
        var noises: [(layer: Int, noise: Double, work: Double)] = []
        for (number, unit) in units.sorted(by: { $0.key < $1.key }).enumerated() {
            try Task.checkCancellation()
            let others = Set(network.operators.indices).subtracting(unit.value)
            let single = QuantizationPlan(network, excluding: others)
            let form = try NetworkQuantization.network(of: network, single, scales(single), statistics, in: file)
            let found = try results(of: form, plan, pictures)
            noises.append((unit.key, Self.noise(found, expected), network.work(of: unit.key)))
            progress(number + 1, units.count)
        }
        let all = noises.reduce(0) { $0 + $1.work } + 1
        var rest = noises.reduce(0) { $0 + $1.noise }
        // First those that add most noise for their work.
        for unit in noises.sorted(by: { ($1.noise / $1.work, $0.layer) < ($0.noise / $0.work, $1.layer) }) {
            guard rest > Self.tolerance else { break }
            // A unit that adds less than its share of the tolerance gains nothing.
            guard unit.noise * Double(noises.count) > Self.tolerance, work + unit.work <= Self.floatShare * all else { continue }
            excluded.formUnion(units[unit.layer] ?? [])
            work += unit.work
            rest -= unit.noise
        }
        return excluded
    }

    /// The operators of each unit by its layer.
    private func units(of plan: QuantizationPlan) -> [Int: [Int]] {
        let producers = network.links().producers
        var unitOf: [Int: Int] = [:]
        for (position, operation) in network.operators.enumerated() where plan.isQuantized[position] {
            if QuantizationRule.rule(for: operation.name)?.weights != nil {
                unitOf[position] = position
            } else {
                // What follows several layers belongs to the last of them.
                let before = operation.inputs.compactMap { $0 >= 0 ? producers[$0].flatMap { unitOf[$0] } : nil }
                unitOf[position] = before.max()
            }
        }
        return Dictionary(grouping: unitOf.keys.sorted()) { unitOf[$0] ?? 0 }
    }

    /// The results of the last layers for each picture.
    private func results(
        of network: FloatNetwork,
        _ plan: QuantizationPlan,
        _ pictures: [[Data]]
    ) throws -> [[Float]] {
        let reading = TensorReading(
            network: network,
            file: file,
            limits: reading.limits,
            inputShapes: reading.inputShapes
        )
        var found = [[Float]](repeating: [], count: plan.results.count)
        let places = Dictionary(uniqueKeysWithValues: zip(plan.results, 0...))
        try reading.read(plan.results, of: CalibrationSamples(count: pictures.count) { pictures[$0] }) { _, tensor, values in
            if let place = places[tensor] { found[place] += values }
        }
        return found
    }

    /// The mean of the squared errors of each result as a share of its variance.
    private static func noise(_ found: [[Float]], _ expected: [[Float]]) -> Double {
        var sum = 0.0
        for (one, two) in zip(found, expected) {
            let mean = two.reduce(0.0) { $0 + Double($1) } / Double(max(two.count, 1))
            var (error, variance) = (0.0, 0.0)
            for (new, old) in zip(one, two) {
                error += Double(new - old) * Double(new - old)
                variance += (Double(old) - mean) * (Double(old) - mean)
            }
            sum += error.isFinite ? error / max(variance, 1e-12) : 1e6
        }
        return sum / Double(max(expected.count, 1))
    }
}

extension FloatNetwork {
    /// The number of multiplications of a layer.
    fileprivate func work(of layer: Int) -> Double {
        let operation = operators[layer]
        guard let rule = QuantizationRule.rule(for: operation.name)?.weights else { return 0 }
        let weights = tensors[operation.inputs[rule.input]].shape
        let channels = max(weights[rule.channelDimension], 1)
        return Double(tensors[operation.outputs[0]].elementCount) * Double(weights.reduce(1, *) / channels) + 1
    }
}

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
    static let pictures = 8
    /// The noise, as a share of the results' variance, that all int8 units may add together.
    private static let tolerance = 0.02
    /// The noise of all int8 units together above which more units stay float, and the number of times that it is measured.
    private static let largestNoise = 0.05
    private static let checks = 10
    /// The share of all multiplications that may stay float.
    private static let floatShare = 0.3
    /// From so many units on, the search would take too long.
    private static let maximumUnits = 400

    /// A unit with the noise that it adds as int8, and the multiplications that it takes.
    private struct Unit {
        let layer: Int
        let operators: [Int]
        let noise: Double
        let work: Double
    }

    /// The positions of operators that should compute with floats.
    func excluded(
        from plan: QuantizationPlan,
        _ samples: CalibrationSamples,
        progress: (Int, Int) -> Void
    ) throws -> Set<Int> {
        let operators = operatorsByLayer(in: plan)
        guard (2...Self.maximumUnits).contains(operators.count), !plan.results.isEmpty else { return [] }
        let samples = samples.prefix(Self.pictures)
        let pictures = try (0..<samples.count).map { try samples.inputs($0) }
        let expected = try results(of: network, plan, pictures)
        func noise(excluding excluded: Set<Int>) throws -> Double {
            let partial = QuantizationPlan(network, excluding: excluded)
            let form = try NetworkQuantization.network(of: network, partial, scales(partial), statistics, in: file)
            return Self.noise(try results(of: form, plan, pictures), expected)
        }
        let all = Set(network.operators.indices)
        var units: [Unit] = []
        for (layer, positions) in operators.sorted(by: { $0.key < $1.key }) {
            try Task.checkCancellation()
            let noise = try noise(excluding: all.subtracting(positions))
            units.append(Unit(layer: layer, operators: positions, noise: noise, work: network.work(of: layer)))
            progress(units.count, operators.count)
        }
        return try chosen(from: units) { try noise(excluding: $0) }
    }

    /// The operators of the units that add most noise for their work, until the rest is within the tolerance.
    private func chosen(from units: [Unit], _ noise: (Set<Int>) throws -> Double) throws -> Set<Int> {
        let limit = Self.floatShare * units.reduce(0) { $0 + $1.work }
        var rest = units.reduce(0) { $0 + $1.noise }
        var (excluded, work): (Set<Int>, Double) = ([], 0)
        var waiting = units.sorted { ($1.noise / $1.work, $0.layer) < ($0.noise / $0.work, $1.layer) }[...]
        func exclude(_ unit: Unit) {
            guard work + unit.work <= limit else { return }
            excluded.formUnion(unit.operators)
            work += unit.work
            rest -= unit.noise
        }
        while rest > Self.tolerance, let unit = waiting.popFirst() {
            // A unit that adds less than its share of the tolerance gains nothing.
            if unit.noise * Double(units.count) > Self.tolerance { exclude(unit) }
        }
        // Deep networks amplify noise, so all units together may add more than their sum.
        for _ in 0..<Self.checks where !waiting.isEmpty {
            guard try noise(excluded) > Self.largestNoise else { break }
            for unit in waiting.prefix(max(units.count / 20, 1)) { exclude(unit) }
            waiting = waiting.dropFirst(max(units.count / 20, 1))
        }
        return excluded
    }

    /// The operators of each unit by its layer.
    private func operatorsByLayer(in plan: QuantizationPlan) -> [Int: [Int]] {
        let producers = network.links().producers
        var unitOf: [Int: Int] = [:]
        for (position, operation) in network.operators.enumerated() where plan.isQuantized[position] {
            if QuantizationRule.rule(for: operation.name)?.weights != nil {
                unitOf[position] = position
            } else {
                // An operation after several layers belongs to the last of them.
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
        try reading.read(plan.results, of: CalibrationSamples(count: pictures.count) { pictures[$0] }) {
            _,
            tensor,
            values in
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

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
    /// The share of the time that int8 saves which layers that stay float may cost.
    private static let floatShare = 0.3
    /// A unit stays float as well if its share of the tolerance is so many times its share of the time that int8 saves.
    private static let bargain = 10.0
    /// From so many units on, the search would take too long.
    private static let maximumUnits = 400

    /// A unit with the noise that it adds as int8, and the time that it adds as float.
    private struct Unit {
        let layer: Int
        let operators: [Int]
        let noise: Double
        let cost: Double
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
        let links = network.links()
        func time(excluding excluded: Set<Int>) -> Double {
            network.time(of: QuantizationPlan(network, excluding: excluded), links)
        }
        let least = time(excluding: [])
        var units: [Unit] = []
        for (layer, positions) in operators.sorted(by: { $0.key < $1.key }) {
            try Task.checkCancellation()
            let noise = try noise(excluding: all.subtracting(positions))
            let cost = max(time(excluding: Set(positions)) - least, 1)
            units.append(Unit(layer: layer, operators: positions, noise: noise, cost: cost))
            progress(units.count, operators.count)
        }
        let gain = max(time(excluding: all) - least, 1)
        return try chosen(from: units, from: least, gain, time) { try noise(excluding: $0) }
    }

    /// The operators of the units that add most noise for their cost, until the rest is within the tolerance.
    private func chosen(
        from units: [Unit],
        from least: Double,
        _ gain: Double,
        _ time: (Set<Int>) -> Double,
        _ noise: (Set<Int>) throws -> Double
    ) throws -> Set<Int> {
        let limit = least + Self.floatShare * gain
        var rest = units.reduce(0) { $0 + $1.noise }
        var excluded: Set<Int> = []
        var waiting = units.sorted { ($1.noise / $1.cost, $0.layer) < ($0.noise / $0.cost, $1.layer) }[...]
        func exclude(_ unit: Unit) {
            let more = excluded.union(unit.operators)
            guard time(more) <= limit else { return }
            excluded = more
            rest -= unit.noise
        }
        while let unit = waiting.first {
            let isBargain = unit.noise / Self.tolerance > Self.bargain * unit.cost / gain
            guard rest > Self.tolerance || isBargain else { break }
            // A unit that adds less than its share of the tolerance gains nothing.
            if isBargain || unit.noise * Double(units.count) > Self.tolerance { exclude(unit) }
            waiting = waiting.dropFirst()
        }
        // Deep networks amplify noise, so all units together may add more than their sum.
        for _ in 0..<Self.checks where !waiting.isEmpty {
            guard try noise(excluded) > Self.largestNoise else { break }
            for unit in waiting.prefix(max(units.count / 20, 1)) { exclude(unit) }
            waiting = waiting.dropFirst(max(units.count / 20, 1))
        }
        // Between layers of floats, a layer may save less as int8 than its conversions cost.
        for unit in units where !excluded.isSuperset(of: unit.operators) {
            let more = excluded.union(unit.operators)
            if time(more) <= time(excluded) { excluded = more }
        }
        return excluded
    }

    /// The operators of each unit by its layer.
    private func operatorsByLayer(in plan: QuantizationPlan) -> [Int: [Int]] {
        let producers = network.links().producers
        var unitOf: [Int: Int] = [:]
        for (position, operation) in network.operators.enumerated() where !plan.isHead[position] {
            if plan.isQuantized[position], QuantizationRule.rule(for: operation.name)?.weights != nil {
                unitOf[position] = position
            } else {
                // An operation after several layers belongs to the last of them.
                let before = operation.inputs.compactMap { $0 >= 0 ? producers[$0].flatMap { unitOf[$0] } : nil }
                unitOf[position] = before.max()
            }
        }
        return Dictionary(grouping: unitOf.keys.filter { plan.isQuantized[$0] }.sorted()) { unitOf[$0] ?? 0 }
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

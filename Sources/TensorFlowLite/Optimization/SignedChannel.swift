/// The weights of an output channel as signed 8-bit integers.
///
/// Unsigned weights have a zero point, so their distances from it need 9 bits. Most channels use less than that and stay
/// exactly as they are. For the others, a wider step is chosen.
struct SignedChannel {
    /// The factor by which the step between two values becomes wider, at least 1.
    let factor: Double
    /// The weights in −127…127. Kernels for ARM processors do not allow −128.
    let values: [Int8]
    /// Whether the weights fit, so that they are exactly the same as before.
    let isExact: Bool

    /// The factors that are tried are 1 and so many more, up to the factor with which the largest weight fits.
    private static let steps = 32

    /// - Parameter distances: The distances of the weights from their zero point, −255…255.
    init(_ distances: [Int]) {
        let largest = distances.lazy.map(abs).max() ?? 0
        isExact = largest <= 127
        guard !isExact else {
            factor = 1
            values = distances.map { Int8(clamping: $0) }
            return
        }
        var best = (error: Double.infinity, factor: 1.0)
        let end = Double(largest) / 127
        for step in 0...Self.steps {
            let factor = step == Self.steps ? end : 1 + Double(step) * (end - 1) / Double(Self.steps)
            let error = distances.reduce(0.0) { sum, distance in
                let difference = Double(distance) - Self.rounded(Double(distance) / factor) * factor
                return sum + difference * difference
            }
            if error < best.error { best = (error, factor) }
        }
        factor = best.factor
        values = Self.balanced(distances.map { Double($0) / best.factor })
    }

    /// Rounds weights so that the errors add up to at most half a step, because a channel adds up many products with
    /// inputs of the same sign. The weights that are nearest to the middle of two steps change.
    private static func balanced(_ weights: [Double]) -> [Int8] {
        var values = weights.map(rounded)
        let errors = zip(weights, values).map { $0 - $1 }
        let sum = errors.reduce(0, +)
        let direction = sum < 0 ? -1.0 : 1.0
        let candidates = values.indices
            .filter { direction * errors[$0] > 0 && abs(values[$0] + direction) <= 127 }
            .sorted { (direction * errors[$1], $0) < (direction * errors[$0], $1) }
        let count = Int(max(abs(sum) - 0.5, 0).rounded(.up))
        for index in candidates.prefix(count) { values[index] += direction }
        return values.map { Int8($0) }
    }

    private static func rounded(_ weight: Double) -> Double {
        min(max(weight.rounded(.toNearestOrEven), -127), 127)
    }
}

import Foundation

/// The range of values that int8 has to represent, and the scale that follows from it.
struct ActivationRange: Hashable {
    var least: Float
    var greatest: Float

    /// A range that contains 0, as every kernel demands, and is not empty.
    ///
    /// - Parameter width: The least width. Steps that are finer by far than 1 make the kernel that turns floats into int8 abort.
    init(_ least: Float, _ greatest: Float, atLeast width: Float = 1e-3) {
        let (low, high) = (min(least, 0), max(greatest, 0))
        self.least = low
        self.greatest = high - low < width ? low + width : high
    }

    func union(_ other: ActivationRange) -> ActivationRange {
        ActivationRange(min(least, other.least), max(greatest, other.greatest))
    }

    /// The scale and the zero point of int8 values, −128…127. The value 0 is exact.
    var parameters: QuantizationParameters {
        // The difference of two floats may be infinite.
        let scale = greatest / 255 - least / 255
        let zeroPoint = (-128 - least / scale).rounded(.toNearestOrEven)
        return QuantizationParameters(scale: scale, zeroPoint: Int(min(max(zeroPoint, -128), 127)))
    }
}

/// A function that is applied to a tensor and to which errors of the tensor count.
///
/// Where nothing but `HARD_SWISH` reads a tensor, for example, values below −3 all become 0, so the range needs not contain them.
enum Reading: Hashable {
    case identity, logistic, tanh, swish, hardSwish
    /// Values beyond the limits become the limits.
    case cut(ClosedRange<Float>)

    func callAsFunction(_ value: Float) -> Float {
        switch self {
        case .identity: value
        case .cut(let limits): min(max(value, limits.lowerBound), limits.upperBound)
        case .logistic: 1 / (1 + exp(-value))
        case .tanh: 2 / (1 + exp(-2 * value)) - 1
        case .swish: value / (1 + exp(-value))
        case .hardSwish: value * (min(max(value + 3, 0), 6) / 6)
        }
    }
}

extension ActivationStatistics {
    /// The way from values to ranges.
    enum Method: Hashable, Sendable {
        /// All values.
        case limits
        /// All but this share of the values on each side.
        case percentile(Double)
        /// The range with the least squared error.
        case leastError
    }

    /// The range that int8 has to represent.
    func range(_ method: Method, for reading: Reading) -> ActivationRange {
        guard reach > 0, least.isFinite, greatest.isFinite else { return ActivationRange(0, 0) }
        switch method {
        case .limits: return ActivationRange(least, greatest)
        case .percentile(let share): return percentile(share)
        case .leastError: return leastError(reading)
        }
    }

    private func percentile(_ share: Double) -> ActivationRange {
        let total = counts.reduce(0.0) { $0 + Double($1) }
        func end(_ bins: some Sequence<Int>) -> Int {
            var sum = 0.0
            for bin in bins {
                sum += Double(counts[bin])
                if sum > share * total { return bin }
            }
            return 0
        }
        let (low, high) = (center(end(0..<Self.binCount)), center(end((0..<Self.binCount).reversed())))
        let half = reach / Float(Self.binCount)
        return ActivationRange(max(low - half, least), min(high + half, greatest))
    }

    /// The number of ends that are tried on each side, and the part of the width up to which both ends come closer.
    private static let trials = 64
    private static let smallestPart: Float = 0.1

    /// The range with the least sum of the errors of clipped values and of rounded values.
    private func leastError(_ reading: Reading) -> ActivationRange {
        let curve = ErrorCurve(self, reading)
        var (low, high) = (min(least, 0), max(greatest, 0))
        // Each side in turn, twice: the best end of one side depends on the other.
        for _ in 0..<2 {
            high = best(from: high) { curve.error(low, $0) }
            low = best(from: low) { curve.error($0, high) }
        }
        return ActivationRange(low, high)
    }

    /// The best of several ends between the limit and a part of it. Equal errors go to the range that clips most: it has the
    /// smaller step.
    private func best(from limit: Float, _ error: (Float) -> Double) -> Float {
        guard limit != 0 else { return 0 }
        var best = (end: limit, error: error(limit))
        for trial in 1...Self.trials {
            let part = 1 - Float(trial) / Float(Self.trials)
            let found = error(limit * part)
            if found < best.error { best = (limit * part, found) }
        }
        return best.end
    }
}

/// Sums over a histogram from which the error of any range follows at once.
private struct ErrorCurve {
    private let statistics: ActivationStatistics
    private let reading: Reading
    /// The value that is read at the middle of each bin.
    private let values: [Float]
    /// For the bins before each bin: the count, the sum, and the sum of squares of the read values, and the sum of squared slopes.
    private var counts: [Double] = [0]
    private var sums: [Double] = [0]
    private var squares: [Double] = [0]
    private var slopes: [Double] = [0]

    init(_ statistics: ActivationStatistics, _ reading: Reading) {
        self.statistics = statistics
        self.reading = reading
        values = (0..<ActivationStatistics.binCount).map { reading(statistics.center($0)) }
        let width = Double(statistics.reach) * 2 / Double(ActivationStatistics.binCount)
        for bin in values.indices {
            let (count, value) = (Double(statistics.counts[bin]), Double(values[bin]))
            let after = Double(values[min(bin + 1, values.count - 1)])
            let before = Double(values[max(bin - 1, 0)])
            let slope = (after - before) / (2 * width)
            counts.append(counts[bin] + count)
            sums.append(sums[bin] + count * value)
            squares.append(squares[bin] + count * value * value)
            slopes.append(slopes[bin] + count * slope * slope)
        }
    }

    /// The squared error of all values if int8 represents `low`…`high`.
    func error(_ low: Float, _ high: Float) -> Double {
        guard high > low else { return .infinity }
        let (first, last) = (bin(low), bin(high))
        let step = (Double(high) - Double(low)) / 255
        return clipped(0, first, to: low) + clipped(last + 1, values.count, to: high)
            + (slopes[max(last + 1, first)] - slopes[first]) * step * step / 12
    }

    /// The squared error of the bins `start..<end`, whose values become one value.
    private func clipped(_ start: Int, _ end: Int, to limit: Float) -> Double {
        guard end > start else { return 0 }
        let value = Double(reading(limit))
        let (count, sum, square) = (counts[end] - counts[start], sums[end] - sums[start], squares[end] - squares[start])
        return max(square - 2 * value * sum + count * value * value, 0)
    }

    private func bin(_ value: Float) -> Int {
        let place = (value / statistics.reach + 1) * Float(values.count / 2)
        return min(max(Int(place), 0), values.count - 1)
    }
}

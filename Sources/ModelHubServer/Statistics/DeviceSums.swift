/// Sums over devices: device i counts as nᵢ values with the sum xᵢ.
///
/// Devices are assigned to groups at random; single results are not. The variance of the mean is therefore that between devices.
package struct DeviceSums: Sendable, Hashable {
    /// The number of devices.
    package var devices = 0
    /// The number of values, Σnᵢ.
    package var count = 0.0
    /// The sum of the values, Σxᵢ.
    package var sum = 0.0
    /// Σnᵢ².
    package var sumNN = 0.0
    /// Σxᵢ².
    package var sumXX = 0.0
    /// Σnᵢxᵢ.
    package var sumNX = 0.0

    /// Creates sums without values.
    package init() {}

    /// The mean of all values; nil without values.
    package var mean: Double? { count > 0 ? sum / count : nil }

    /// The number of devices that would weigh as much if all had as many values: (Σnᵢ)²/Σnᵢ² (L. Kish, "Survey Sampling", 1965, 8.2).
    /// It is far below the number of devices if a few of them sent most values.
    package var effectiveDevices: Double { sumNN > 0 ? count * count / sumNN : 0 }

    /// The variance of the mean as a ratio of sums over devices: V = k/(k−1) · Σ(xᵢ − R·nᵢ)² / (Σnᵢ)² with R = Σxᵢ/Σnᵢ over k devices (W.
    /// Cochran, "Sampling Techniques", 3rd edition, 1977, 6.3 and 6.4; for experiments A. Deng et al., "Applying the Delta Method in
    /// Metric Analytics", KDD 2018). Nil for fewer than two devices.
    package var varianceOfMean: Double? {
        guard let mean, devices > 1 else { return nil }
        let number = Double(devices)
        // Rounding may produce a slightly negative number.
        let spread = max(sumXX - 2 * mean * sumNX + mean * mean * sumNN, 0)
        let isZero = spread <= 1e-12 * max(sumXX, mean * mean * sumNN)
        return isZero ? 0 : number / (number - 1) * spread / (count * count)
    }

    /// Replaces the part of a device, which it had before, by its new part.
    ///
    /// - Parameters:
    ///   - before: The number and the sum of the values that the device reported before; nil if it reported none.
    ///   - after: The number and the sum of all values that it reported.
    ///   - weightLimit: The largest number of values that count for a device. With more values, its mean counts as the mean of that many.
    package mutating func replace(
        _ before: (count: Double, sum: Double)?,
        by after: (count: Double, sum: Double),
        weightLimit: Double = .infinity
    ) {
        if before == nil { devices += 1 }
        let old = Self.weighted(before ?? (0, 0), weightLimit)
        let new = Self.weighted(after, weightLimit)
        count += new.count - old.count
        sum += new.sum - old.sum
        sumNN += new.count * new.count - old.count * old.count
        sumXX += new.sum * new.sum - old.sum * old.sum
        sumNX += new.count * new.sum - old.count * old.sum
    }

    private static func weighted(
        _ part: (count: Double, sum: Double),
        _ limit: Double
    ) -> (count: Double, sum: Double) {
        part.count > limit ? (count: limit, sum: part.sum / part.count * limit) : part
    }
}

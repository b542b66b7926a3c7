import Foundation

/// The population stability index of two distributions, with an interval.
///
/// The index is Σ (q − p) ln(q / p) over the ranges, with half a count more in each (Yurdakul, "Statistical Properties of Population
/// Stability Index", 2018): without a change, it is about (1/n + 1/m) times a χ² with one degree of freedom less than ranges, and after a
/// change a noncentral χ². The estimate is without that bias, and the interval has three standard deviations on each side, because a page
/// looks at it every week.
package struct StabilityIndex: Sendable, Hashable {
    /// The index without the part that chance has in it; may be slightly negative.
    package var value: Double
    /// The lower end of the interval.
    package var lower: Double
    /// The upper end of the interval.
    package var upper: Double

    /// The fewest reports of each distribution that are compared.
    package static let fewest = 100
    /// The index from which on a distribution is said to have moved: the usual limit of a moderate change.
    package static let limit = 0.1

    /// Whether the distribution moved, for certain.
    package var hasMoved: Bool { lower > Self.limit }

    /// Compares two distributions over the same ranges.
    ///
    /// - Returns: Nil if one of them has fewer than ``fewest`` reports.
    package init?(from old: [Int], to new: [Int]) {
        let (n, m) = (Double(old.reduce(0, +)), Double(new.reduce(0, +)))
        guard old.count == new.count, min(n, m) >= Double(Self.fewest) else { return nil }
        // Ranges that neither has say nothing.
        let used = old.indices.filter { old[$0] + new[$0] > 0 }
        let parts = Double(used.count) / 2
        var index = 0.0
        for place in used {
            let p = (Double(old[place]) + 0.5) / (n + parts)
            let q = (Double(new[place]) + 0.5) / (m + parts)
            index += (q - p) * log(q / p)
        }
        let (scale, freedom) = (1 / n + 1 / m, Double(used.count - 1))
        value = index - freedom * scale
        let shift = max(0, value / scale)
        let deviation = scale * (2 * freedom + 4 * shift).squareRoot()
        (lower, upper) = (value - 3 * deviation, value + 3 * deviation)
    }
}

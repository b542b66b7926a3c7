/// The range in which a share lies with a probability of 95 %, from a count.
///
/// Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927).
public struct ShareInterval: Sendable, Hashable, Codable {
    /// The lower end, 0…1.
    public let lower: Double
    /// The upper end, 0…1.
    public let upper: Double

    /// - Parameters:
    ///   - right: The number of successes.
    ///   - count: The number of trials.
    package init(right: Int, of count: Int) {
        guard count > 0 else {
            (lower, upper) = (0, 1)
            return
        }
        let (n, z) = (Double(count), 1.959_963_985)
        let share = Double(right) / n
        let middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        // Rounding does not exclude the share itself.
        (lower, upper) = (right == 0 ? 0 : max(middle - half, 0), right == count ? 1 : min(middle + half, 1))
    }

    private init(lower: Double, upper: Double) { (self.lower, self.upper) = (lower, upper) }

    /// The interval of a share that is larger.
    func shifted(by gain: Double) -> ShareInterval { ShareInterval(lower: lower + gain, upper: min(upper + gain, 1)) }
}

/// The unit of a container's timestamps.
struct TimeBase {
    /// The unit in seconds: numerator / denominator, both above 0.
    private let numerator: Int128
    private let denominator: Int128

    init(numerator: Int32, denominator: Int32) {
        self.numerator = numerator > 0 ? Int128(numerator) : 1
        self.denominator = denominator > 0 ? Int128(denominator) : 1
    }

    private static let attoseconds: Int128 = 1_000_000_000_000_000_000
    /// A thousand years. A later time is damage.
    private static let limit: Int128 = 1000 * 366 * 86_400

    /// The time between two timestamps; nil if it is impossibly long.
    func duration(from start: Int64, to end: Int64) -> Duration? {
        // 64 and 31 bits fit 128; the remainder is below 2^31 and times 2^60 fits too.
        let units = (Int128(end) - Int128(start)) * numerator
        let (seconds, rest) = units.quotientAndRemainder(dividingBy: denominator)
        guard seconds.magnitude < Self.limit.magnitude else { return nil }
        return Duration(attoseconds: seconds * Self.attoseconds + rest * Self.attoseconds / denominator)
    }

    /// The last timestamp at or before a time after another timestamp; within the range of 64 bits.
    func timestamp(_ time: Duration, after start: Int64) -> Int64 {
        let seconds = Int128(time.components.seconds)
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: denominator)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let part = Int128(time.components.attoseconds) * denominator / Self.attoseconds
        return Int64(clamping: (whole + part) / numerator + Int128(start))
    }
}

extension Int {
    /// The nearest number; 0 for NaN.
    init(clampingRounded value: Double) {
        self = value.isFinite ? Int(Swift.min(Swift.max(value.rounded(), -1e18), 1e18)) : 0
    }
}

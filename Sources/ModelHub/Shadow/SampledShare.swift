/// Draws a share of calls at random. The same seed draws the same calls.
package struct SampledShare: Sendable {
    /// The share, from 0 to 1.
    package let share: Double
    private var state: UInt64

    /// Creates a sample.
    ///
    /// - Parameters:
    ///   - share: The share of calls, from 0 to 1.
    ///   - seed: The seed; nil for one of the system's.
    package init(_ share: Double, seed: UInt64? = nil) {
        self.share = share.isFinite ? min(max(share, 0), 1) : 0
        state = seed ?? UInt64.random(in: 0 ... .max)
    }

    /// Whether the next call is drawn.
    package mutating func draw() -> Bool {
        // SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return Double(bits >> 11) * 0x1p-53 < share
    }
}

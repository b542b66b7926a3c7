/// Notices that the clock of a machine was set while a program runs: then it differs from the monotonic clock.
package struct ClockComparison: Sendable {
    /// The last moment, by the wall clock and by the monotonic clock.
    private var last: (seconds: Double, instant: ContinuousClock.Instant)?

    /// The difference of both clocks that shows that the wall clock was set.
    private static let tolerance = Duration.seconds(2)

    /// Creates a comparison that knows no moment.
    package init() {}

    /// Whether the wall clock has moved differently from the monotonic clock since the last call.
    ///
    /// - Parameters:
    ///   - seconds: The time by the wall clock, in seconds since 1970.
    ///   - instant: The same moment by the monotonic clock.
    package mutating func wasSet(_ seconds: Double, at instant: ContinuousClock.Instant) -> Bool {
        defer { last = (seconds, instant) }
        guard let last else { return false }
        let passed = instant - last.instant
        let shift = Duration.seconds(seconds - last.seconds) - passed
        let tolerance = Self.tolerance + passed / 1000
        return shift > tolerance || shift < .zero - tolerance
    }
}

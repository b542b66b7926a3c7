/// Whether the clock of a machine can be trusted when something seems to be old enough to be removed.
///
/// A machine without a battery starts with a wrong date, and a clock may be set by years. Then everything seems to be old. So nothing is removed
/// for its age until the program has run for a while, and after the clock was set, until a time has passed by the monotonic clock.
package struct ClockTrust: Sendable {
    private var comparison = ClockComparison()
    /// The moment from which on the clock is trusted.
    private var trusted: ContinuousClock.Instant
    /// The time without trust after the clock was set.
    private let pause: Duration

    /// Creates the trust of a program that starts.
    ///
    /// - Parameters:
    ///   - settling: The time after the start in which the clock may still be wrong.
    ///   - pause: The time without trust after the clock was set.
    ///   - start: The moment of the start.
    package init(settling: Duration, pause: Duration, start: ContinuousClock.Instant = .now) {
        trusted = start + min(settling, pause)
        self.pause = pause
    }

    /// Compares the clocks.
    ///
    /// - Parameters:
    ///   - seconds: The time by the wall clock, in seconds since 1970.
    ///   - instant: The same moment by the monotonic clock.
    /// - Returns: Whether the wall clock is trusted at this moment.
    package mutating func note(_ seconds: Double, at instant: ContinuousClock.Instant = .now) -> Bool {
        if comparison.wasSet(seconds, at: instant) { trusted = instant + pause }
        return instant >= trusted
    }
}

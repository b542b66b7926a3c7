extension Duration {
    /// The time in seconds; more than a trillion of them, to either side, count as a trillion.
    ///
    /// Timestamps come from files and cameras and may be anything; unlike differences of durations, differences of these
    /// numbers cannot overflow.
    var inSeconds: Double {
        let limit = Duration.seconds(1_000_000_000_000)
        let parts = min(max(self, .zero - limit), limit).components
        return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    }

    /// The time since an earlier moment; a difference that no `Duration` holds counts as the longest one.
    func since(_ earlier: Duration) -> Duration {
        let (difference, overflow) = attoseconds.subtractingReportingOverflow(earlier.attoseconds)
        return Duration(attoseconds: overflow ? (attoseconds < 0 ? .min : .max) : difference)
    }

    /// Whether another moment is at most so far away, before or after.
    func isWithin(_ distance: Duration, of other: Duration) -> Bool {
        abs(inSeconds - other.inSeconds) <= distance.inSeconds
    }
}

extension Duration {
    /// Seconds; what is more than a trillion of them away from zero counts as a trillion.
    ///
    /// Timestamps come from files and cameras and may be anything; unlike differences of durations, differences of these
    /// numbers cannot overflow.
    var inSeconds: Double {
        let limit = Duration.seconds(1_000_000_000_000)
        let parts = min(max(self, .zero - limit), limit).components
        return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    }

    /// Whether another moment is at most so far away, before or after.
    func isWithin(_ distance: Duration, of other: Duration) -> Bool {
        abs(inSeconds - other.inSeconds) <= distance.inSeconds
    }
}

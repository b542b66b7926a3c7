/// Reports of one kind for people, which come at most once in a time however often their reason does.
struct ReportLimit {
    /// The shortest time between two reports.
    let interval: Duration
    private var last: ContinuousClock.Instant?
    private var unreported = 0

    init(interval: Duration) { self.interval = interval }

    /// Notes that something happened some times.
    ///
    /// - Returns: nil if nothing is to be reported now; otherwise how often it happened since the last report, without this time.
    mutating func pass(_ count: Int = 1, now: ContinuousClock.Instant = .now) -> Int? {
        if let last, now - last < interval {
            unreported += count
            return nil
        }
        defer { unreported = 0 }
        last = now
        return unreported
    }
}

/// Refuses bodies that come so slowly that they only keep a connection busy.
struct UploadPace {
    private let start = ContinuousClock.now
    private var byteCount = 0
    /// Bytes in a second that are expected after a minute.
    private static let minimumRate = 2048.0

    mutating func check(adding count: Int) throws(HubError) {
        byteCount += count
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard seconds < 60 || Double(byteCount) / seconds > Self.minimumRate else { throw .tooSlow }
    }
}

import HTTPServing

/// Rejects bodies that arrive so slowly that they only occupy a connection.
struct UploadPace {
    private let start = ContinuousClock.now
    private var byteCount = 0
    /// The expected bytes per second after a minute.
    private static let minimumRate = 2048.0

    mutating func check(adding count: Int) throws(RequestError) {
        byteCount += count
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard seconds < 60 || Double(byteCount) / seconds > Self.minimumRate else { throw .tooSlow }
    }
}

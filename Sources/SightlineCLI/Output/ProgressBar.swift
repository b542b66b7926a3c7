/// A line on the terminal that says how far a long run is.
struct ProgressBar {
    /// Fewer pictures than this are done before a bar could be read.
    static let minimumTotal = 6

    private let total: Int
    private var done = 0
    private var failed = 0
    /// How many failed so far.
    var failedCount: Int { failed }
    private var lastDrawn: ContinuousClock.Instant?

    /// A bar for that many pictures, drawn on standard error; nil where it would not help.
    init?(total: @autoclosure () -> Int) {
        guard StandardError.isTerminal else { return nil }
        self.total = total()
        guard self.total >= Self.minimumTotal else { return nil }
    }

    /// Removes the bar, so that other text can be written.
    func clear() {
        if lastDrawn != nil { StandardError.write("\r\u{1B}[K") }
    }

    /// Counts a picture, and draws the bar again if it is time.
    mutating func advance(failed isFailure: Bool) {
        done += 1
        if isFailure { failed += 1 }
        let now = ContinuousClock.now
        if let lastDrawn, now - lastDrawn < .milliseconds(100), done < total { return }
        lastDrawn = now
        StandardError.write("\r\u{1B}[K" + line)
    }

    /// For example `[########········] 50/100, 2 failed`.
    var line: String {
        let width = 32
        let filled = min(width * done / total, width)
        let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: width - filled)
        return "[\(bar)] \(done)/\(total)" + (failed > 0 ? ", \(failed) failed" : "")
    }
}

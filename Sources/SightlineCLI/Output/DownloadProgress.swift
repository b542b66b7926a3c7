/// A line on the terminal that says how much of a file has come.
struct DownloadProgress {
    private let name: String
    private var lastDrawn: ContinuousClock.Instant?

    init(_ name: String) {
        self.name = name
    }

    /// Draws the line anew if it is time and somebody can see it.
    mutating func update(received: Int, expected: Int?) {
        guard StandardError.isTerminal else { return }
        let now = ContinuousClock.now
        if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
        lastDrawn = now
        StandardError.write("\r\u{1B}[K" + Self.line(name, received: received, expected: expected))
    }

    /// Removes the line.
    mutating func clear() {
        if lastDrawn != nil { StandardError.write("\r\u{1B}[K") }
        lastDrawn = nil
    }

    /// For example `yolox-nano [########········] 1.9 MB of 3.9 MB`.
    static func line(_ name: String, received: Int, expected: Int?) -> String {
        guard let expected, expected > 0 else { return "\(name) \(ByteCount.text(received))" }
        let width = 32
        let filled = min(Int(Double(received) / Double(expected) * Double(width)), width)
        let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: width - filled)
        return "\(name) [\(bar)] \(ByteCount.text(received)) of \(ByteCount.text(expected))"
    }
}

import Sightline
import SightlineMedia

/// A line on the terminal that says how far a video is worked off.
struct VideoProgress {
    private let start: Duration
    /// How much is to be done; nil where that is not known.
    private let length: Duration?
    private let began = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    private var frames = 0

    init(_ info: VideoInfo, from: Duration?, to: Duration?) {
        let start = from ?? .zero
        self.start = start
        length = [info.duration, to].compactMap(\.self).min().map { $0 - start }
    }

    /// Counts a frame, and draws the line anew if it is time and somebody can see it.
    mutating func advance(_ result: StreamResult) {
        frames += 1
        guard StandardError.isTerminal else { return }
        let now = ContinuousClock.now
        if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
        lastDrawn = now
        let line = Self.line(
            time: result.timestamp,
            done: result.timestamp - start,
            length: length,
            elapsed: now - began,
            frames: frames,
            objects: result.objects.count
        )
        StandardError.write("\r\u{1B}[K" + line)
    }

    /// Removes the line, so that other text can be written.
    func clear() {
        if lastDrawn != nil { StandardError.write("\r\u{1B}[K") }
    }

    /// For example `57.2 frames/s`.
    var rateText: String { Self.rate(frames, ContinuousClock.now - began) }

    private static func rate(_ frames: Int, _ elapsed: Duration) -> String {
        let rate = Double(frames) / max(elapsed.seconds, 1e-6)
        return "\((rate * 10).rounded() / 10) frames/s"
    }

    /// For example `[########········] 0:07.2, 57.2 frames/s, 3 objects, 0:08.1 left`; without the bar and the time left where
    /// the length is not known.
    static func line(
        time: Duration,
        done: Duration,
        length: Duration?,
        elapsed: Duration,
        frames: Int,
        objects: Int
    ) -> String {
        let objectText = "\(objects) object\(objects == 1 ? "" : "s")"
        let middle = "\(ClockText.text(time)), \(rate(frames, elapsed)), \(objectText)"
        guard let length, length > .zero else { return middle }
        let share = min(max(done / length, 0), 1)
        let width = 24
        let filled = Int(share * Double(width))
        let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: width - filled)
        let left = share > 0.01 ? ", \(ClockText.text(elapsed * (1 / share - 1))) left" : ""
        return "[\(bar)] \(middle)\(left)"
    }
}

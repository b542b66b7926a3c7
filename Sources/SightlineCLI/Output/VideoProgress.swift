import CommandLineSupport
import Sightline
import SightlineMedia
import TextFormatting

/// A progress line for a video.
struct VideoProgress {
    private let start: Duration
    /// The length of the video; nil if it is unknown.
    private let length: Duration?
    private let began = ContinuousClock.now
    /// When the present reading of the video began.
    private var readingBegan = ContinuousClock.now
    private var progressLine = ProgressLine()
    private var frames = 0

    init(_ info: VideoInfo, from: Duration?, to: Duration?) {
        let start = from ?? .zero
        self.start = start
        length = [info.duration, to].compactMap(\.self).min().map { $0 - start }
    }

    /// Counts a frame, and draws the line if it is due.
    mutating func advance(_ result: StreamResult) {
        frames += 1
        progressLine.show { [start, length, readingBegan, frames] in
            Self.line(
                time: result.timestamp,
                done: result.timestamp - start,
                length: length,
                elapsed: ContinuousClock.now - readingBegan,
                frames: frames,
                objects: result.objects.count
            )
        }
    }

    /// Counts the frames of a second reading of the video.
    mutating func beginAgain() { (frames, readingBegan) = (0, .now) }

    /// Removes the line, so that other text can be written.
    mutating func clear() { progressLine.clear() }

    /// The speed over all readings, for example `57.2 frames/s`.
    var rateText: String { Self.rate(frames, ContinuousClock.now - began) }

    private static func rate(_ frames: Int, _ elapsed: Duration) -> String {
        let rate = Double(frames) / max(elapsed.seconds, 1e-6)
        return "\((rate * 10).rounded() / 10) frames/s"
    }

    /// For example `[########········] 0:07.2, 57.2 frames/s, 3 objects, 0:08.1 left`; without the bar and the remaining time if
    /// the length is unknown.
    static func line(
        time: Duration,
        done: Duration,
        length: Duration?,
        elapsed: Duration,
        frames: Int,
        objects: Int
    ) -> String {
        let middle = "\(ClockText.text(time)), \(rate(frames, elapsed)), \(NumberText.count(objects, "object"))"
        guard let length, length > .zero else { return middle }
        let share = min(max(done / length, 0), 1)
        let bar = ProgressLine.bar(share, width: 24)
        let left = share > 0.01 ? ", \(ClockText.text(elapsed * (1 / share - 1))) left" : ""
        return "\(bar) \(middle)\(left)"
    }
}

import Sightline

/// Chooses frames so that there are at most so many in a second.
///
/// Time is divided into equal parts from the beginning of the stream. The first frame of each part is taken, so that the choice does not
/// drift and does not depend on where reading begins.
struct FrameSelection: Sendable {
    private let maximumRate: Double?
    private var lastPart: Double?

    /// The inaccuracy of times in seconds: containers round them, many to a millisecond.
    private static let tolerance = 0.000_5

    /// - Parameter maximumRate: the largest number of frames in a second; nil, or a value that is not positive, for every frame.
    init(maximumRate: Double?) {
        self.maximumRate = maximumRate.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    }

    /// Whether to take the next frame.
    mutating func takes(_ time: Duration) -> Bool {
        guard let maximumRate else { return true }
        let part = ((time / .seconds(1) + Self.tolerance) * maximumRate).rounded(.down)
        guard part != lastPart else { return false }
        lastPart = part
        return true
    }

    /// Starts again; the next frame is taken.
    mutating func reset() { lastPart = nil }
}

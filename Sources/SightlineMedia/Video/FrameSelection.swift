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

    /// Whether any frame might not be taken.
    var isLimited: Bool { maximumRate != nil }

    /// Whether to take a frame, if no frame of its part was taken.
    func takes(_ time: Duration) -> Bool { part(of: time).map { $0 != lastPart } ?? true }

    /// Counts a frame that was taken.
    mutating func take(_ time: Duration) { lastPart = part(of: time) }

    /// The number of the part in which a time lies; nil if every frame is taken.
    func part(of time: Duration) -> Double? {
        maximumRate.map { ((time / .seconds(1) + Self.tolerance) * $0).rounded(.down) }
    }

    /// Starts again; the next frame is taken.
    mutating func reset() { lastPart = nil }
}

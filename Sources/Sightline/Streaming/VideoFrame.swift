/// A frame of a camera or a video, with its place in time.
public struct VideoFrame: Sendable {
    /// The pixels with their orientation.
    public let image: VisionImage
    /// When the frame is shown, counted from the beginning of the stream.
    public let timestamp: Duration
    /// The place of the frame in its stream, from 0; dropped and skipped frames count.
    public let index: Int
    /// Whether the decoder marked the frame as damaged, for example by bit errors: parts of the picture are then guessed.
    public let isDamaged: Bool
    /// The use of the frame, if its reader has planned the detections; nil if the stream's cadence decides.
    package let use: Use?
    /// When the frame arrived from a camera; nil for other frames.
    package let arrival: ContinuousClock.Instant?

    /// The use of a frame in a stream whose detector does not run on every frame.
    package enum Use: Sendable, Hashable {
        /// The detector runs.
        case detection
        /// The camera's motion is estimated, and boxes are carried on.
        case motion
        /// Boxes are carried on. The frame need not have a picture.
        case none
    }

    /// Creates a frame.
    public init(image: VisionImage, timestamp: Duration, index: Int, isDamaged: Bool = false) {
        self.init(image: image, timestamp: timestamp, index: index, isDamaged: isDamaged, use: nil)
    }

    /// Creates a frame of a planned stream.
    package init(
        image: VisionImage,
        timestamp: Duration,
        index: Int,
        isDamaged: Bool,
        use: Use?,
        arrival: ContinuousClock.Instant? = nil
    ) {
        self.image = image
        self.timestamp = timestamp
        self.index = index
        self.isDamaged = isDamaged
        self.use = use
        self.arrival = arrival
    }

    /// The frame of a camera with another time.
    package func shown(at timestamp: Duration, arrival: ContinuousClock.Instant) -> VideoFrame {
        VideoFrame(
            image: image,
            timestamp: timestamp,
            index: index,
            isDamaged: isDamaged,
            use: use,
            arrival: arrival
        )
    }
}

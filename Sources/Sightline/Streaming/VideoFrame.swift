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

    /// Creates a frame.
    public init(image: VisionImage, timestamp: Duration, index: Int, isDamaged: Bool = false) {
        self.image = image
        self.timestamp = timestamp
        self.index = index
        self.isDamaged = isDamaged
    }
}

/// A frame of a camera or a video, with its place in time.
public struct VideoFrame: Sendable {
    /// The pixels, and how they stand upright.
    public let image: VisionImage
    /// When the frame is shown, counted from the beginning of the stream.
    public let timestamp: Duration
    /// The place of the frame in its stream, from 0; frames that were dropped count.
    public let index: Int

    /// A frame by its parts.
    public init(image: VisionImage, timestamp: Duration, index: Int) {
        self.image = image
        self.timestamp = timestamp
        self.index = index
    }
}

/// A frame of a camera or a video, with its place in time.
public struct VideoFrame: Sendable {
    /// The pixels with their orientation.
    public let image: VisionImage
    /// When the frame is shown, counted from the beginning of the stream.
    public let timestamp: Duration
    /// The place of the frame in its stream, from 0; dropped frames count.
    public let index: Int

    /// Creates a frame.
    public init(image: VisionImage, timestamp: Duration, index: Int) {
        self.image = image
        self.timestamp = timestamp
        self.index = index
    }
}

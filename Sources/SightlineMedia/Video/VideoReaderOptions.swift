import Sightline

/// Settings of a video reader.
public struct VideoReaderOptions: Sendable, Hashable {
    /// The start time, from the beginning of the stream. Earlier frames are skipped.
    public var start: Duration
    /// The end time. Frames at this time or later are skipped; nil for the end of the stream.
    public var end: Duration?
    /// The largest number of frames in a second of the video; nil for all. The reader skips the others, and decodes of them only those
    /// that other frames refer to. Frames keep their times and indices.
    public var maximumFrameRate: Double?
    /// Whether the reader skips all frames but key frames, which are decoded without any other frame. Frames keep their times and indices.
    public var keyFramesOnly: Bool
    /// Plans the detector for one of so many frames of a file; 1 for no plan. Frames that need no picture then have none.
    package var detectionInterval = 1
    /// Whether frames that need no picture for detection have one nevertheless, to draw on.
    package var decodesAllFrames = false
    /// The part of the machine that decodes.
    public var decoder: VideoDecoder
    /// The number of the decoder's threads; nil for one per core, at most four. The decoder works on several frames of a file at once,
    /// but on one frame of a live input, to avoid a delay.
    public var decoderThreads: Int?
    /// The longest silence of a camera or server.
    public var timeout: Duration
    /// The number of attempts to reconnect a lost stream. The pauses between attempts double from half a second.
    public var reconnects: Int
    /// The largest width × height of a frame; 67 million by default, twice the size of 8K video.
    public var maximumPixels: Int
    /// Whether the decoder smooths the edges between blocks in all frames. If false, it smooths only frames that other frames refer to,
    /// which saves 5 to 10 % of the time for H.264; the other frames show faint edges, but errors do not add up.
    public var smoothsAllFrames: Bool

    /// Creates settings. Each parameter has a default.
    public init(
        start: Duration = .zero,
        end: Duration? = nil,
        maximumFrameRate: Double? = nil,
        keyFramesOnly: Bool = false,
        decoder: VideoDecoder = .software,
        decoderThreads: Int? = nil,
        timeout: Duration = .seconds(10),
        reconnects: Int = 5,
        maximumPixels: Int = 1 << 26,
        smoothsAllFrames: Bool = true
    ) {
        self.start = start
        self.end = end
        self.maximumFrameRate = maximumFrameRate
        self.keyFramesOnly = keyFramesOnly
        self.decoder = decoder
        self.decoderThreads = decoderThreads
        self.timeout = timeout
        self.reconnects = reconnects
        self.maximumPixels = maximumPixels
        self.smoothsAllFrames = smoothsAllFrames
    }
}

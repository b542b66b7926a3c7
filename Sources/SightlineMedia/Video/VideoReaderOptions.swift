import Sightline

/// How a video is read.
public struct VideoReaderOptions: Sendable, Hashable {
    /// The first frame that is given is the first that is shown at this time or later, counted from the beginning of the
    /// stream.
    public var start: Duration
    /// Frames that are shown at this time or later are not given; nil: all to the end.
    public var end: Duration?
    /// Threads of the decoder; nil: as many as there are cores, up to four. Files are decoded several frames at once; live
    /// inputs are not, since that would delay each frame.
    public var decoderThreads: Int?
    /// How long a camera or server may give nothing, at opening and later.
    public var timeout: Duration
    /// How often a lost stream is connected anew before it is given up; waits between attempts double from half a second.
    public var reconnects: Int
    /// Width × height of a frame at most; 67 million by default, twice that of 8K video.
    public var maximumPixels: Int

    /// The defaults, or some of them changed.
    public init(
        start: Duration = .zero,
        end: Duration? = nil,
        decoderThreads: Int? = nil,
        timeout: Duration = .seconds(10),
        reconnects: Int = 5,
        maximumPixels: Int = 1 << 26
    ) {
        self.start = start
        self.end = end
        self.decoderThreads = decoderThreads
        self.timeout = timeout
        self.reconnects = reconnects
        self.maximumPixels = maximumPixels
    }
}

import Sightline

/// The properties of a video. All except `codec` and `size` come from the container, and frames may differ from them.
public struct VideoInfo: Sendable, Hashable {
    /// The size of the upright frame; zero if a camera does not state it before its first frame.
    public var size: PixelSize
    /// The rotation of the stored frames.
    public var orientation: ImageOrientation
    /// The width and height of a stored pixel in relation to each other, for example 16 × 15; 1 × 1 for square pixels.
    public var pixelAspect: PixelSize
    /// The average number of frames in a second; nil if it is unknown.
    public var frameRate: Double?
    /// The length of the video; nil if it is unknown or endless.
    public var duration: Duration?
    /// The number of frames; nil if it is unknown.
    public var frameCount: Int?
    /// FFmpeg's name of the codec, for example `h264`; `jpeg`, `png` or `webp` for pictures.
    public var codec: String
    /// Whether the video has sound.
    public var hasAudio: Bool
    /// Whether frames come in real time, as from a camera. Such an input cannot go to another time.
    public var isLive: Bool

    /// Creates the properties of a video.
    public init(
        size: PixelSize,
        orientation: ImageOrientation = .up,
        pixelAspect: PixelSize = PixelSize(width: 1, height: 1),
        frameRate: Double? = nil,
        duration: Duration? = nil,
        frameCount: Int? = nil,
        codec: String = "",
        hasAudio: Bool = false,
        isLive: Bool = false
    ) {
        self.size = size
        self.orientation = orientation
        self.pixelAspect = pixelAspect
        self.frameRate = frameRate
        self.duration = duration
        self.frameCount = frameCount
        self.codec = codec
        self.hasAudio = hasAudio
        self.isLive = isLive
    }
}

/// The problems that did not end the reading of a video.
public struct VideoReadingStatistics: Sendable, Hashable {
    /// The number of frames that were returned.
    public internal(set) var frames = 0
    /// The number of frames that were neither wanted nor needed by others, and so not even decoded.
    public internal(set) var undecodedFrames = 0
    /// The number of frames with errors. FFmpeg's decoders do not always mark all of them with `VideoFrame.isDamaged`.
    public internal(set) var damagedFrames = 0
    /// The number of packets and pictures that could not be decoded.
    public internal(set) var damagedPackets = 0
    /// The first pictures of a sequence that could not be decoded, at most 10, with the reasons.
    public internal(set) var damagedPictures: [DamagedPicture] = []
    /// The number of pictures that a numbered sequence lacks between its first and its last picture.
    public internal(set) var missingPictures = 0
    /// The first of them.
    public internal(set) var firstMissingPicture: String?
    /// The number of timestamps that went back or jumped and were corrected.
    public internal(set) var timestampJumps = 0
    /// The number of new connections after a loss.
    public internal(set) var reconnects = 0
    /// The number of returned frames that the graphics processor decoded.
    public internal(set) var hardwareFrames = 0
    /// The reason why the graphics processor does not decode; nil if it does, or is not asked to.
    public internal(set) var hardwareFailure: String?
    /// The reason why the end of a file is missing, for example in an incomplete copy; nil if the file was read to its end.
    public internal(set) var earlyEnd: String?

    /// A picture of a sequence that could not be decoded.
    public struct DamagedPicture: Sendable, Hashable {
        /// The path of the picture.
        public let path: String
        /// The reason.
        public let error: ImageError
    }

    init() {}
}

import Sightline

/// What a video says of itself. All but `codec` and `size` is what its container claims; frames may say otherwise.
public struct VideoInfo: Sendable, Hashable {
    /// The size of the upright frame.
    public var size: PixelSize
    /// How the stored rows of frames relate to the upright frame.
    public var orientation: ImageOrientation
    /// Frames a second, on average; nil if not known.
    public var frameRate: Double?
    /// How long the video is; nil if not known or without end.
    public var duration: Duration?
    /// How many frames it has; nil if not known.
    public var frameCount: Int?
    /// FFmpeg's name of the codec, for example `h264`; `jpeg`, `png` or `webp` for pictures.
    public var codec: String
    /// Whether there is sound.
    public var hasAudio: Bool
    /// Whether frames come as they happen, as those of a camera do: it cannot be rewound, and waits for nobody.
    public var isLive: Bool

    /// Information by its parts.
    public init(
        size: PixelSize,
        orientation: ImageOrientation = .up,
        frameRate: Double? = nil,
        duration: Duration? = nil,
        frameCount: Int? = nil,
        codec: String = "",
        hasAudio: Bool = false,
        isLive: Bool = false
    ) {
        self.size = size
        self.orientation = orientation
        self.frameRate = frameRate
        self.duration = duration
        self.frameCount = frameCount
        self.codec = codec
        self.hasAudio = hasAudio
        self.isLive = isLive
    }
}

/// What went wrong while a video was read, without ending it.
public struct VideoReadingStatistics: Sendable, Hashable {
    /// Frames given.
    public internal(set) var frames = 0
    /// Packets that could not be decoded and were passed over.
    public internal(set) var damagedPackets = 0
    /// Timestamps that went back or jumped, and were put right.
    public internal(set) var timestampJumps = 0
    /// Connections made anew after a loss.
    public internal(set) var reconnects = 0
    /// Why the last part of a file could not be read, as in a copy that was cut short; nil if it was read to its end.
    public internal(set) var earlyEnd: String?

    init() {}
}

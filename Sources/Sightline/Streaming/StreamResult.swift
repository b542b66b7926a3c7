/// What was found in one frame of a stream.
public struct StreamResult: Sendable, Hashable {
    /// When the frame is shown, counted from the beginning of the stream.
    public var timestamp: Duration
    /// The place of the frame in its stream, from 0; frames that were dropped count.
    public var index: Int
    /// The size of the upright frame.
    public var size: PixelSize
    /// The confirmed objects, in the order of their identities; with only the most prominent one asked for, at most one.
    public var objects: [DetectedObject]
    /// The objects that were seen in too few frames to have an identity, most confident first.
    public var tentative: [DetectedObject]
    /// Whether the detector ran on this frame; otherwise boxes were carried on by the tracker.
    public var isDetected: Bool
    /// Frames dropped since the stream began because they came faster than they could be worked off.
    public var droppedFrames: Int
    /// How long the stages of this frame took.
    public var timings: StageTimings

    /// A result by its parts.
    public init(
        timestamp: Duration,
        index: Int,
        size: PixelSize,
        objects: [DetectedObject],
        tentative: [DetectedObject] = [],
        isDetected: Bool = true,
        droppedFrames: Int = 0,
        timings: StageTimings = StageTimings()
    ) {
        self.timestamp = timestamp
        self.index = index
        self.size = size
        self.objects = objects
        self.tentative = tentative
        self.isDetected = isDetected
        self.droppedFrames = droppedFrames
        self.timings = timings
    }
}

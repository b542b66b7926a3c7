/// The objects in one frame of a stream.
public struct StreamResult: Sendable, Hashable {
    /// When the frame is shown, counted from the beginning of the stream.
    public var timestamp: Duration
    /// The place of the frame in its stream, from 0; dropped and skipped frames count.
    public var index: Int
    /// The size of the upright frame.
    public var size: PixelSize
    /// The confirmed objects, in the order of their identities, each with a track; at most one object with
    /// ``ObjectDetectorOptions/detectsMultipleObjects`` off.
    public var objects: [DetectedObject]
    /// The objects that were seen in too few frames to have an identity, most confident first.
    public var tentative: [DetectedObject]
    /// The identities of the confirmed objects that ``ObjectDetectorOptions/allowedLabels`` leaves out although they could be of an
    /// allowed kind: they have no name yet, or only that of a group.
    public var unnamed: [Int]
    /// The identities that the tracker gave up since the previous frame, in rising order. They cannot come back.
    public var ended: [Int]
    /// Whether the frame is damaged, so that its objects may be wrong.
    public var isDamaged: Bool
    /// Whether the detector ran on this frame; otherwise the tracker carried the boxes on.
    public var isDetected: Bool
    /// Whether the picture changes by more than its noise; nil unless the detector waits for motion
    /// (``StreamDetectorOptions/waitsForMotion``).
    public var hasMotion: Bool?
    /// The number of frames that the policy of ``StreamDetector/results(in:policy:)`` dropped since the stream began, because they came
    /// faster than the detector works.
    public var droppedFrames: Int
    /// The durations of the stages of this frame.
    public var timings: StageTimings
    /// The detections that belong to no object, because their confidence is too low, the most confident first; empty unless
    /// ``StreamDetectorOptions/leftOverConfidence`` is set.
    package var leftOver: [DetectedObject] = []

    /// Creates a result.
    public init(
        timestamp: Duration,
        index: Int,
        size: PixelSize,
        objects: [DetectedObject],
        tentative: [DetectedObject] = [],
        unnamed: [Int] = [],
        ended: [Int] = [],
        isDamaged: Bool = false,
        isDetected: Bool = true,
        hasMotion: Bool? = nil,
        droppedFrames: Int = 0,
        timings: StageTimings = StageTimings()
    ) {
        self.timestamp = timestamp
        self.index = index
        self.size = size
        self.objects = objects
        self.tentative = tentative
        self.unnamed = unnamed
        self.ended = ended
        self.isDamaged = isDamaged
        self.isDetected = isDetected
        self.hasMotion = hasMotion
        self.droppedFrames = droppedFrames
        self.timings = timings
    }
}

/// The options that only streams have: how objects are followed, and on which frames the detector runs.
public struct StreamDetectorOptions: Sendable, Hashable {
    /// The options for following objects.
    ///
    /// An object appears when the detector finds it with the high threshold, which is the detector's score threshold unless
    /// ``ObjectTrackerOptions/highThreshold`` is set. Weaker boxes, down to ``ObjectTrackerOptions/lowThreshold``, then keep
    /// it, so that it does not vanish while it is half hidden.
    public var tracking: ObjectTrackerOptions
    /// At most this many objects in a result: those known longest, so that existing tracks are kept and new tracks wait. A value
    /// below 1 means the default.
    public var maximumObjects: Int
    /// The frames on which the detector runs.
    public var cadence: DetectionCadence
    /// Whether the camera's motion is estimated from the pictures, so that objects are found again although the camera moves,
    /// and boxes follow it on frames without detection. It costs some tenths of a millisecond a frame.
    public var compensatesCameraMotion: Bool
    /// Whether the colors of the objects help to tell apart objects that cross, and to find objects again that moved far
    /// between two frames.
    ///
    /// It helps where objects differ in color, as people in their own clothes do, and where frames are few. Boxes from
    /// ``ObjectTrackerOptions/highThreshold`` on take part. It costs 0.1 to 0.3 ms for each frame with 20 of them.
    public var usesAppearance: Bool

    /// Whether the detector runs only where the picture changes, for cameras that stand still.
    ///
    /// The detector rests while a small gray copy of the frame shows no more than the usual noise; boxes then stay where they are. It
    /// runs on the first frames, and looks again after two seconds at the latest. A camera that moves keeps the detector running.
    /// The workers of ``ObjectDetectorOptions/workers`` take turns, since each frame depends on the one before.
    public var waitsForMotion: Bool

    /// The confidence from which results also have the detections that belong to no object, ``StreamResult/leftOver``; nil for none.
    package var leftOverConfidence: Float?

    /// Creates options, each with its default.
    public init(
        tracking: ObjectTrackerOptions = ObjectTrackerOptions(),
        maximumObjects: Int = ObjectDetectorOptions.defaultMaximumObjects,
        cadence: DetectionCadence = .everyFrame,
        compensatesCameraMotion: Bool = true,
        usesAppearance: Bool = false,
        waitsForMotion: Bool = false
    ) {
        self.tracking = tracking
        self.maximumObjects = maximumObjects
        self.cadence = cadence
        self.compensatesCameraMotion = compensatesCameraMotion
        self.usesAppearance = usesAppearance
        self.waitsForMotion = waitsForMotion
    }

    /// `maximumObjects`, or the default if that is not valid.
    var effectiveMaximumObjects: Int {
        maximumObjects > 0 ? maximumObjects : ObjectDetectorOptions.defaultMaximumObjects
    }
}

/// The frames of a stream on which the detector runs. On the other frames the tracker carries the boxes on.
public enum DetectionCadence: Sendable, Hashable {
    /// Every frame.
    case everyFrame
    /// Every n-th frame, beginning with the first; 1 and less mean every frame.
    case every(Int)
    /// As often as the mean detection time per frame stays within this budget, and at least every 30th frame.
    case budget(Duration)
}

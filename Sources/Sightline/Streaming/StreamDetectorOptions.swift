/// What a stream detector does.
public struct StreamDetectorOptions: Sendable, Hashable {
    /// How objects are found and named.
    ///
    /// What differs in a stream:
    /// - `scoreThreshold` is the confidence that an object must have to *become* one. Once it has an identity it is followed
    ///   with boxes down to ``ObjectTrackerOptions/lowThreshold``, so that it does not vanish while it is half hidden, but
    ///   with such boxes alone for no longer than ``ObjectTrackerOptions/memory``.
    /// - `maximumObjects` are those that have been known longest, so that a newcomer takes nobody's place.
    /// - With `detectsMultipleObjects` off, the most prominent object is reported until it is gone or another is clearly more
    ///   prominent.
    /// - `workers` are how many frames the detector looks at at the same time where none may be dropped, that is with
    ///   ``FramePolicy/all``; results come in order all the same. Otherwise one frame is worked on at a time, as soon as it
    ///   comes, and `threads` are what makes that faster.
    public var detection: ObjectDetectorOptions
    /// How objects are followed. ``ObjectTrackerOptions/highThreshold`` is set by the detector: it is its score threshold.
    public var tracking: ObjectTrackerOptions
    /// On which frames the detector runs.
    public var cadence = DetectionCadence.everyFrame
    /// Whether the camera's motion is estimated from the pictures, so that objects are found again although the camera
    /// moves, and boxes follow it on frames without detector. It costs some tenths of a millisecond a frame.
    public var compensatesCameraMotion = true

    /// Options with defaults for all else.
    public init(
        detection: ObjectDetectorOptions = ObjectDetectorOptions(),
        tracking: ObjectTrackerOptions = ObjectTrackerOptions()
    ) {
        self.detection = detection
        self.tracking = tracking
    }
}

/// On which frames of a stream the detector runs. On the others, boxes are carried on by the tracker.
public enum DetectionCadence: Sendable, Hashable {
    /// On every frame.
    case everyFrame
    /// On the first of each so many frames; 1 and less mean every frame.
    case every(Int)
    /// As often as the detector's mean time a frame stays within this, at least on each 30th frame.
    case budget(Duration)
}

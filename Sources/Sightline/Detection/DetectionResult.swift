/// The objects in a picture, from ``ObjectDetector/result(in:)``.
public struct DetectionResult: Sendable, Hashable {
    /// The objects, most confident first, in pixels of the upright picture.
    public var objects: [DetectedObject]
    /// The number of further objects beyond ``ObjectDetectorOptions/maximumObjects``.
    public var omitted: Int
    /// The number of further objects that ``ObjectDetectorOptions/allowedLabels`` left out although they could be of an allowed kind: they
    /// have no name, or only that of a group.
    public var unnamed: Int
    /// The size of the upright picture in pixels.
    public var size: PixelSize
    /// The durations of the stages.
    public var timings: StageTimings

    /// Creates a result.
    public init(
        objects: [DetectedObject],
        omitted: Int = 0,
        unnamed: Int = 0,
        size: PixelSize,
        timings: StageTimings = StageTimings()
    ) {
        self.objects = objects
        self.omitted = omitted
        self.unnamed = unnamed
        self.size = size
        self.timings = timings
    }
}

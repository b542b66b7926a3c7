/// Options for following objects through a stream of detections.
public struct ObjectTrackerOptions: Sendable, Hashable {
    /// The confidence from which a detection is trusted, 0…1: a trusted detection may begin a track, and is matched first.
    ///
    /// The right value depends on the detector: it is about where boxes begin to be right more often than wrong. Nil means the
    /// detector's score threshold in a ``StreamDetector``, and ``defaultHighThreshold`` in a tracker without a detector.
    public var highThreshold: Float?
    /// Other high thresholds for detections of some classes, by ``DetectedObject/classIndex``. In a ``StreamDetector``,
    /// ``ObjectDetectorOptions/scoreThresholds`` set those that are missing here.
    public var highThresholds: [Int: Float]
    /// The confidence below which a detection is ignored, 0…1; above the high threshold it counts as that threshold.
    ///
    /// Boxes between the two thresholds, often of half-hidden objects, keep tracks alive but begin none. They do so for no
    /// longer than ``memory`` in a ``StreamDetector``.
    public var lowThreshold: Float
    /// The number of consecutive frames in which an object must be seen to get its identity; 1 for at once.
    public var confirmationHits: Int
    /// The time for which the tracker remembers an object that is out of sight, to give it its identity back when it returns.
    public var memory: Duration
    /// Whether only detections of the same class can be the same object.
    public var isClassAware: Bool
    /// Whether a motion that many objects share counts as the camera's; false for a camera that stands still.
    public var followsCamera: Bool

    /// The high threshold of a tracker without a detector.
    public static let defaultHighThreshold: Float = 0.6

    /// Creates options, each with its default.
    public init(
        highThreshold: Float? = nil,
        highThresholds: [Int: Float] = [:],
        lowThreshold: Float = 0.1,
        confirmationHits: Int = 2,
        memory: Duration = .seconds(1.5),
        isClassAware: Bool = true,
        followsCamera: Bool = true
    ) {
        self.highThreshold = highThreshold
        self.highThresholds = highThresholds
        self.lowThreshold = lowThreshold
        self.confirmationHits = confirmationHits
        self.memory = memory
        self.isClassAware = isClassAware
        self.followsCamera = followsCamera
    }

    /// The confidence from which a detection of a class is trusted.
    func highThreshold(of classIndex: Int?) -> Float {
        let usual = highThreshold ?? Self.defaultHighThreshold
        guard !highThresholds.isEmpty, let classIndex else { return usual }
        return highThresholds[classIndex] ?? usual
    }
}

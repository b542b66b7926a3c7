/// How objects are followed through a stream of detections.
public struct ObjectTrackerOptions: Sendable, Hashable {
    /// The confidence from which a detection is trusted, 0…1: it may start a track, and it is matched first.
    ///
    /// It belongs to the detector: about where its boxes begin to be right more often than wrong.
    public var highThreshold: Float
    /// The confidence below which a detection is ignored, 0…1.
    ///
    /// Boxes between the two thresholds, often of half-hidden objects, keep tracks alive but start none.
    public var lowThreshold: Float
    /// In how many frames in a row an object has to be seen before it gets its identity; 1 for at once.
    public var confirmationHits: Int
    /// How long an object that is not seen is remembered, to get its identity back when it returns.
    public var memory: Duration
    /// Whether only detections of the same class can be the same object.
    public var isClassAware: Bool

    /// Options by their parts.
    public init(
        highThreshold: Float = 0.6,
        lowThreshold: Float = 0.1,
        confirmationHits: Int = 2,
        memory: Duration = .seconds(1.5),
        isClassAware: Bool = true
    ) {
        self.highThreshold = highThreshold
        self.lowThreshold = lowThreshold
        self.confirmationHits = confirmationHits
        self.memory = memory
        self.isClassAware = isClassAware
    }
}

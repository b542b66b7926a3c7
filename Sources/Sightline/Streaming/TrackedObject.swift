/// An object in a frame of a stream.
public struct TrackedObject: Sendable, Hashable, Codable {
    /// The identity, the same in all frames: positive, increasing, never reused in a stream.
    public var id: Int
    /// Where it is, in pixels of the upright picture.
    public var frame: PixelRect
    /// How sure the detector was when it last saw the object, 0…1.
    public var confidence: Float
    /// What it is, by all that was seen of it so far, the most confident label first.
    public var labels: [Label]
    /// Whether the detector saw it in this very frame; otherwise its box was carried on by the tracker.
    public var isDetected: Bool
    /// When the object was seen first.
    public var firstSeen: Duration
    /// How long the object has been known: this frame's timestamp less `firstSeen`.
    public var age: Duration

    /// An object by its parts.
    public init(
        id: Int,
        frame: PixelRect,
        confidence: Float,
        labels: [Label],
        isDetected: Bool,
        firstSeen: Duration,
        age: Duration
    ) {
        self.id = id
        self.frame = frame
        self.confidence = confidence
        self.labels = labels
        self.isDetected = isDetected
        self.firstSeen = firstSeen
        self.age = age
    }
}

/// An object in a picture.
public struct DetectedObject: Sendable, Hashable, Codable {
    /// Where it is, in pixels of the upright picture.
    public var frame: PixelRect
    /// How sure the detector is that there is an object, 0…1.
    public var confidence: Float
    /// What it is, the most confident label first; empty if nothing passed the threshold or nothing was asked.
    public var labels: [Label]
    /// The identity of the object in a stream of pictures; nil in a single picture.
    public var trackingID: Int?

    /// An object by its parts.
    public init(frame: PixelRect, confidence: Float, labels: [Label], trackingID: Int? = nil) {
        self.frame = frame
        self.confidence = confidence
        self.labels = labels
        self.trackingID = trackingID
    }
}

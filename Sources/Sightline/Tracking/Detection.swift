/// A box that a detector found in one frame, as the tracker wants it: no pixels, no names.
public struct Detection: Sendable, Hashable, Codable {
    /// Where it is, in pixels of the upright picture.
    public var frame: PixelRect
    /// How sure the detector is, 0…1.
    public var confidence: Float
    /// The detector's class; nil if it knows none.
    public var classIndex: Int?

    /// A detection by its parts.
    public init(frame: PixelRect, confidence: Float, classIndex: Int? = nil) {
        self.frame = frame
        self.confidence = confidence
        self.classIndex = classIndex
    }
}

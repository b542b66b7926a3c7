/// An object that is followed from frame to frame.
public struct Track: Sendable, Hashable {
    /// What is known of the object.
    public enum State: String, Sendable, Hashable, Codable {
        /// Seen too little to be counted; it has no identity yet and vanishes with the first miss.
        case tentative
        /// Seen in the last frame in which the detector ran.
        case confirmed
        /// Not seen at present, and remembered for a while.
        case lost
    }

    /// The identity: positive, larger than all earlier ones, never given to another object of the stream; nil while the
    /// track is tentative.
    public internal(set) var id: Int?
    /// What is known of the object.
    public internal(set) var state: State
    /// Where it is, in pixels of the upright picture: the box of the detection that was matched in this frame, otherwise
    /// the box where the object is expected.
    public internal(set) var frame: PixelRect
    /// The confidence of the last matched detection, 0…1.
    public internal(set) var confidence: Float
    /// The class of the last matched detection.
    public internal(set) var classIndex: Int?
    /// The position of the matched detection in what was passed for this frame; nil if none was matched.
    public internal(set) var detectionIndex: Int?
    /// When the object was seen first.
    public internal(set) var firstSeen: Duration
    /// When the object was seen last.
    public internal(set) var lastSeen: Duration
}

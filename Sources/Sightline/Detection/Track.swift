/// A tracker's knowledge of an object.
public struct Track: Sendable, Hashable {
    /// The state of the track. The identity is positive and larger than all earlier ones of the stream; the
    /// tracker never gives it to another object.
    public enum State: Sendable, Hashable {
        /// The object was seen in too few frames; it has no identity yet, and vanishes with the first miss.
        case tentative
        /// The object was seen in the last frame in which the detector ran.
        case confirmed(id: Int)
        /// The object is out of sight; the tracker remembers it for a while.
        case lost(id: Int)
    }

    /// The state of the track: tentative, confirmed or lost.
    public var state: State
    /// When the object was seen first, counted from the beginning of the stream.
    public var firstSeen: Duration
    /// Where the object was at that time, in pixels of the upright frame; nil if that is not known. Zones and lines use it for the frames
    /// before the track was confirmed.
    public var firstFrame: PixelRect?
    /// When the object was seen last, counted from the beginning of the stream.
    public var lastSeen: Duration
    /// The age of the track: the time of the frame minus ``firstSeen``.
    public var age: Duration
    /// Whether the detector saw the object in this frame; otherwise the tracker carried its box on.
    public var isDetected: Bool
    /// The position of the matched detection among those that the caller passed for this frame; nil if none matched, and in
    /// a ``StreamResult``, whose detections the caller never sees.
    public var detectionIndex: Int?

    /// The identity; nil while the track is tentative.
    public var id: Int? {
        switch state {
        case .tentative: nil
        case .confirmed(let id), .lost(let id): id
        }
    }

    /// Whether the object has an identity and was seen in the last frame in which the detector ran.
    public var isConfirmed: Bool {
        if case .confirmed = state { true } else { false }
    }

    /// Creates a track.
    ///
    /// - Parameters:
    ///   - state: the state of the track.
    ///   - firstSeen: when the object was seen first.
    ///   - firstFrame: where the object was at that time; nil if that is not known.
    ///   - lastSeen: when the object was seen last.
    ///   - age: the time for which the object has been known; nil for the time from `firstSeen` to `lastSeen`.
    ///   - isDetected: whether the detector saw the object in this frame; nil if `detectionIndex` shows it.
    ///   - detectionIndex: the position of the matched detection.
    public init(
        state: State,
        firstSeen: Duration,
        firstFrame: PixelRect? = nil,
        lastSeen: Duration,
        age: Duration? = nil,
        isDetected: Bool? = nil,
        detectionIndex: Int? = nil
    ) {
        self.state = state
        self.firstSeen = firstSeen
        self.firstFrame = firstFrame
        self.lastSeen = lastSeen
        self.age = age ?? lastSeen.since(firstSeen)
        self.isDetected = isDetected ?? (detectionIndex != nil)
        self.detectionIndex = detectionIndex
    }
}

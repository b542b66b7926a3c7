/// An object in a picture or in a frame of a stream.
public struct DetectedObject: Sendable, Hashable {
    /// Where the object is, in pixels of the upright picture.
    public var frame: PixelRect
    /// The detector's confidence that there is an object of any name, 0…1. For an object that a tracker carried on, the confidence of its
    /// last detection.
    public var objectConfidence: Float
    /// The detector's class; nil if the detector knows no classes.
    public var classIndex: Int?
    /// The names of the object, most confident first; empty if no label passed the threshold.
    public var labels: [Label]
    /// The named points of the object, in the order of the model; nil if the model gives none, where a tracker carried the object's
    /// box on, and in the results of an ``OfflineTracker``.
    public var points: [ObjectPoint]?
    /// The pixels that show the object; nil if the model gives none, beyond the first 300 masks or eight pictures of them, where a tracker
    /// carried the object's box on, and in the results of an ``OfflineTracker``.
    public var mask: ObjectMask?
    /// The tracker's knowledge of the object; nil in a single picture.
    public var track: Track?

    /// The confidence of the name by which the object is reported: of the most confident label, otherwise ``objectConfidence``. All
    /// outputs show this number beside the object's name.
    public var confidence: Float { labels.first?.confidence ?? objectConfidence }

    /// The identity that a tracker gave to the object; nil in a single picture, and while the track is tentative.
    public var id: Int? { track?.id }

    /// Creates an object.
    ///
    /// - Parameters:
    ///   - frame: where the object is, in pixels of the upright picture.
    ///   - confidence: the detector's confidence that there is an object, 0…1, which is ``objectConfidence``.
    ///   - classIndex: the detector's class, if the detector knows classes.
    ///   - labels: the names of the object, most confident first.
    ///   - points: the named points of the object.
    ///   - mask: the pixels that show the object.
    ///   - track: the tracker's knowledge of the object.
    public init(
        frame: PixelRect,
        confidence: Float,
        classIndex: Int? = nil,
        labels: [Label] = [],
        points: [ObjectPoint]? = nil,
        mask: ObjectMask? = nil,
        track: Track? = nil
    ) {
        self.frame = frame
        objectConfidence = confidence
        self.classIndex = classIndex
        self.labels = labels
        self.mask = mask
        self.points = points
        self.track = track
    }
}

/// Gives objects an identity that stays the same from frame to frame.
///
/// It takes boxes, confidences and times, and knows no model and no pixels. It is a value: copies follow their own
/// streams, and the same calls give the same results on every machine. The order of the detections in a frame does
/// not matter.
///
/// ```swift
/// var tracker = ObjectTracker()
/// for track in tracker.update(detections, at: frame.timestamp) where track.state == .confirmed {
///     print(track.id ?? 0, track.frame)
/// }
/// ```
public struct ObjectTracker: Sendable {
    /// How objects are followed.
    public let options: ObjectTrackerOptions
    var tuning = TrackerTuning.standard
    var followed: [FollowedObject] = []
    /// The identity given out last.
    var lastID = 0
    /// Seconds of the stream that have passed; never goes back.
    var clock = 0.0
    /// When the last frame was, by the caller's time.
    var lastTime: Duration?
    var grid = DetectionGrid()
    var assignment = SparseAssignment()
    var rows: [Int] = []

    /// A tracker that knows no objects yet.
    public init(options: ObjectTrackerOptions = ObjectTrackerOptions()) {
        self.options = options
    }

    /// All objects, those not seen at present too, in the order in which they were seen first.
    public var tracks: [Track] { followed.map(\.track) }

    /// Takes in what the detector found in a frame.
    ///
    /// - Parameters:
    ///   - detections: what was found, in any order. Boxes that are not finite, thinner than a thousandth of a pixel or
    ///     farther out than ten million pixels are ignored, and so are those with a NaN as confidence.
    ///   - time: when the frame is shown. A time before that of the last frame counts as no time passing, and the
    ///     stream goes on from there.
    ///   - cameraMotion: how the picture moved since the last frame.
    /// - Returns: the tracks that were matched or begun in this frame, in the order of their detections.
    public mutating func update(
        _ detections: [Detection],
        at time: Duration,
        cameraMotion: CameraMotion = .none
    ) -> [Track] {
        carry(to: time, cameraMotion: cameraMotion)
        grid.fill(with: detections, minimumConfidence: options.lowThreshold)
        associate()
        beginTracks()
        settle()
        return followed.compactMap { $0.track.detectionIndex == nil ? nil : $0.track }
            .sorted { ($0.detectionIndex ?? 0) < ($1.detectionIndex ?? 0) }
    }

    /// Carries the objects over a frame in which the detector did not run.
    ///
    /// - Returns: the confirmed tracks that were seen when the detector last ran, where they are expected now;
    ///   `detectionIndex` is nil. In the order of their identities.
    public mutating func advance(to time: Duration, cameraMotion: CameraMotion = .none) -> [Track] {
        carry(to: time, cameraMotion: cameraMotion)
        return followed.filter { $0.track.state == .confirmed }.map(\.track)
            .sorted { ($0.id ?? 0) < ($1.id ?? 0) }
    }

    /// Forgets all objects; identities go on rising.
    public mutating func reset() {
        followed.removeAll(keepingCapacity: true)
        lastTime = nil
    }
}

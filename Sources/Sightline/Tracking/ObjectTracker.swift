/// Gives objects an identity that stays the same from frame to frame.
///
/// It takes boxes, confidences and times, and knows no model and no pixels. It is a value: copies follow their own
/// streams, and the same calls give the same results every time. The order of the detections in a frame does not matter.
///
/// ```swift
/// var tracker = ObjectTracker()
/// for track in tracker.update(detections, at: frame.timestamp) where track.state == .confirmed {
///     print(track.id ?? 0, track.frame)
/// }
/// ```
///
/// An object is `tentative` until it was seen in enough frames in a row, and has an identity from then on. Identities are
/// positive, rise, and are never given to another object. An object that is not seen is `lost`; when it returns within
/// the memory of the tracker, it has its identity back in that very frame.
///
/// The cost of a frame grows hardly faster than the number of objects: only boxes near each other are compared, found
/// through a sorted grid, and the best pairs are sought in each group of neighbours by itself. On one core of a server,
/// a frame of 10, 200 and 1,000 objects takes about 0.01, 0.4 and 3 ms. Memory is that of the objects of the last frames.
public struct ObjectTracker: Sendable {
    /// How objects are followed.
    public let options: ObjectTrackerOptions

    var followed: [FollowedObject] = []
    /// The identity given out last.
    var lastID = 0
    /// When the last frame was, by the caller's time.
    var lastTime: Duration?
    /// Seconds of the stream that have passed; never goes back.
    var clock = 0.0
    /// The seconds by which the objects were carried on since the last update.
    var carried = 0.0
    /// How fast the whole picture moves, in pixels per second.
    var cameraVelocity = (x: 0.0, y: 0.0)

    // What serves within one update, kept for the memory that it holds.
    var grid = DetectionGrid()
    var assignment = SparseAssignment()
    var rows: [Int] = []
    var shifts: [(x: Double, y: Double, height: Double)] = []
    var sorted: [Double] = []
    var heldBack: [Int] = []

    /// A tracker that knows no objects yet.
    public init(options: ObjectTrackerOptions = ObjectTrackerOptions()) {
        self.options = options
    }

    /// All objects, those not seen at present too, in the order in which they were seen first.
    public var tracks: [Track] { followed.map(\.track) }

    /// Takes in what the detector found in a frame.
    ///
    /// Whatever is passed, nothing fails. Detections are ignored whose confidence is not a number or below the low
    /// threshold, and so are boxes that are not finite, are thinner than a thousandth of a pixel, or reach farther than ten
    /// million pixels from the origin. Confidences above 1 count as 1.
    ///
    /// - Parameters:
    ///   - detections: what was found, in any order.
    ///   - time: when the frame is shown. A time before that of the last frame counts as no time passing, and the stream
    ///     goes on from there. After a long gap, objects of the last frame can still be matched, lost ones are forgotten.
    ///   - cameraMotion: how the picture moved since the last frame, if that is known; what many objects share is found
    ///     and taken into account without it. One that is not finite, or scales more than tenfold, counts as none.
    /// - Returns: the tracks that were matched or begun in this frame, tentative and confirmed, in the order of their
    ///   detections. Their boxes are exactly those of the detections. A doubtful object that covers the same place as a
    ///   surer one is held back: it has no track here.
    public mutating func update(
        _ detections: [Detection],
        at time: Duration,
        cameraMotion: CameraMotion = .none
    ) -> [Track] {
        carry(to: time, cameraMotion: cameraMotion)
        grid.fill(with: detections, minimumConfidence: options.lowThreshold)
        matchDetections()
        beginTracks()
        holdBackDuplicates()
        settle()
        carried = 0
        var matched: [(index: Int, track: Track)] = []
        matched.reserveCapacity(followed.count)
        for object in followed {
            if let index = object.track.detectionIndex { matched.append((index, object.track)) }
        }
        matched.sort { $0.index < $1.index }
        return matched.map(\.track)
    }

    /// Carries the objects over a frame in which the detector did not run.
    ///
    /// - Parameters:
    ///   - time: when the frame is shown, as for `update`.
    ///   - cameraMotion: how the picture moved since the last frame, as for `update`.
    /// - Returns: the confirmed tracks that were seen when the detector last ran, where they are expected now, in the order
    ///   of their identities; their `detectionIndex` is nil.
    public mutating func advance(to time: Duration, cameraMotion: CameraMotion = .none) -> [Track] {
        carry(to: time, cameraMotion: cameraMotion)
        return followed.filter { $0.track.state == .confirmed }.map(\.track).sorted { ($0.id ?? 0) < ($1.id ?? 0) }
    }

    /// Forgets all objects, as where another video begins or the size of the frames changes; identities go on rising.
    public mutating func reset() {
        followed.removeAll(keepingCapacity: true)
        lastTime = nil
        carried = 0
        cameraVelocity = (0, 0)
    }
}

/// Gives objects an identity that stays the same from frame to frame.
///
/// A tracker works on boxes, confidences and times alone; it needs no model and no pixels, and boxes of any detector will do. It is a
/// value: copies follow their own streams, and the same calls give the same results every time. The order of the detections in a frame does not matter.
///
/// ```swift
/// var tracker = ObjectTracker()
/// for object in tracker.update(detections, at: frame.timestamp) {
///     if let id = object.id { print(id, object.frame) }
/// }
/// ```
///
/// An object is `tentative` until it was seen in enough consecutive frames, and has an identity from then on. Identities are
/// positive, rise, and are never given to another object. An object out of sight is `lost`; when it returns within the memory
/// of the tracker, it has its identity back in that very frame.
///
/// The cost of a frame grows hardly faster than the number of objects: the tracker compares only boxes near each other, which
/// it finds through a sorted grid, and finds the best pairs within each group of neighbors. On one core of a server,
/// a frame of 10, 200 and 1,000 objects takes about 0.01, 0.5 and 3 ms. Memory is that of the objects of the last frames.
public struct ObjectTracker: Sendable {
    /// The options with which the tracker was made.
    public let options: ObjectTrackerOptions

    var followed: [FollowedObject] = []
    /// The detections of the last update, whose labels the objects have.
    private var lastDetections: [DetectedObject] = []
    /// The serial number given out last; tentative objects have one as well.
    var lastSerial = 0
    /// The identity given out last.
    var lastID = 0
    /// When the last frame was, by the caller's time.
    var lastTime: Duration?
    /// Seconds of the stream that have passed; never decreases.
    var clock = 0.0
    /// The seconds by which the objects were carried on since the last update.
    var carried = 0.0
    /// The speed of the whole picture, in pixels per second.
    var cameraVelocity = (x: 0.0, y: 0.0)

    /// The appearance of each detection, if given.
    var appearances = AppearanceMemory()

    // Scratch space of an update, kept to spare allocations.
    var grid = DetectionGrid()
    var expected = DetectionGrid()
    var assignment = SparseAssignment()
    var rows: [Int] = []
    var shifts: [(x: Double, y: Double, height: Double)] = []
    var sorted: [Double] = []
    var heldBack: [Int] = []
    private var matched: [(index: Int, position: Int)] = []

    /// Creates a tracker that knows no objects yet.
    public init(options: ObjectTrackerOptions = ObjectTrackerOptions()) {
        self.options = options
    }

    /// Whether a detection may begin a track.
    func isTrusted(_ entry: DetectionGrid.Entry) -> Bool {
        entry.confidence >= options.highThreshold(of: entry.classIndex)
    }

    /// All objects that the tracker remembers, in the order in which they were seen first; lost objects have no labels.
    public var objects: [DetectedObject] {
        followed.map { $0.object(at: lastTime ?? .zero, detections: lastDetections) }
    }

    /// The boxes of ``objects``.
    var frames: [PixelRect] { followed.map(\.frame) }

    /// The identities of ``objects``. An identity that was given out and is missing here cannot come back.
    public var identities: Set<Int> { Set(followed.lazy.compactMap(\.identity)) }

    /// Follows the objects into the next frame, by the detections in it.
    ///
    /// No input makes it fail. It ignores detections whose confidence is not a number or below the low threshold, and boxes
    /// that are not finite, are thinner than a thousandth of a pixel, or reach farther than ten million pixels from the origin.
    /// Confidences above 1 count as 1.
    ///
    /// - Parameters:
    ///   - detections: the detector's objects, in any order.
    ///   - time: when the frame is shown. A time before that of the last frame counts as no time passing, and the stream
    ///     continues from there. After a long gap, objects of the last frame can still be matched, lost ones are forgotten.
    ///   - cameraMotion: the motion of the picture since the last frame, if that is known; a motion that many objects share is
    ///     found without it. A motion that is not finite, or scales more than tenfold, counts as no motion.
    /// - Returns: the objects that were matched or begun in this frame, tentative and confirmed, in the order of their
    ///   detections, with the detections' boxes and labels and a ``Track``. A doubtful object that covers the same place as a
    ///   more confident object is held back: it is not returned. A detection on an object that was matched in this frame and
    ///   has an identity begins no other object.
    public mutating func update(
        _ detections: [DetectedObject],
        at time: Duration,
        cameraMotion: CameraMotion = .none
    ) -> [DetectedObject] {
        update(detections, at: time, cameraMotion: cameraMotion, appearances: [])
    }

    /// Follows the objects into the next frame, by the detections in it and by how they look.
    ///
    /// - Parameter appearances: the appearance of each detection, in their order; nil where that is not known, empty for none.
    mutating func update(
        _ detections: [DetectedObject],
        at time: Duration,
        cameraMotion: CameraMotion,
        appearances looks: [Appearance?]
    ) -> [DetectedObject] {
        carry(to: time, cameraMotion: cameraMotion)
        lastDetections = detections
        appearances.begin(looks)
        appearances.learnContrast(followed)
        grid.fill(with: detections, minimumConfidence: options.lowThreshold)
        matchDetections()
        beginTracks()
        holdBackDuplicates()
        settle()
        appearances.keep(followed)
        carried = 0
        matched.removeAll(keepingCapacity: true)
        for position in followed.indices {
            if followed[position].isDetected { matched.append((followed[position].lastIndex, position)) }
        }
        matched.sort { $0.index < $1.index }
        return matched.map { followed[$0.position].object(at: time, detections: detections) }
    }

    /// Carries the objects over a frame in which the detector did not run.
    ///
    /// - Parameters:
    ///   - time: when the frame is shown, as for `update`.
    ///   - cameraMotion: the motion of the picture since the last frame, as for `update`.
    /// - Returns: the confirmed objects that were seen when the detector last ran, where they are expected now, in the order
    ///   of their identities; ``Track/isDetected`` is false.
    public mutating func advance(to time: Duration, cameraMotion: CameraMotion = .none) -> [DetectedObject] {
        carry(to: time, cameraMotion: cameraMotion)
        return confirmedObjects(at: time)
    }

    /// The confirmed objects in the order of their identities, on a frame in which the detector did not run.
    func confirmedObjects(at time: Duration) -> [DetectedObject] {
        var confirmed: [(id: Int, position: Int)] = []
        for position in followed.indices {
            if case .confirmed(let id) = followed[position].state { confirmed.append((id, position)) }
        }
        confirmed.sort { $0.id < $1.id }
        return confirmed.map { followed[$0.position].object(at: time, detections: lastDetections) }
    }

    /// Forgets all objects, as where another video begins or the size of the frames changes; identities continue to rise.
    public mutating func reset() {
        followed.removeAll(keepingCapacity: true)
        lastDetections = []
        appearances = AppearanceMemory()
        lastTime = nil
        carried = 0
        cameraVelocity = (0, 0)
    }
}

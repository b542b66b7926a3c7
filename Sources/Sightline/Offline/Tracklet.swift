/// The detections of an object that an online tracker gave one identity: a track, or a part of one.
struct Tracklet: Sendable {
    /// The identity of the online tracker; nil if the object was seen in too few frames to get one.
    var id: Int?
    let classIndex: Int?
    /// The part of the stream between two changes of the frame's size.
    let segment: Int
    var labels = LabelTally()
    /// At least one place.
    var places: [FinishedTrack.Place] = []
    /// The masks and points of the detections, by their frames.
    private(set) var details: [Int: PackedDetection] = [:]
    /// The detection with details that was added last.
    private var lastDetails: PackedDetection?

    /// Creates a tracklet without places.
    init(classIndex: Int?, segment: Int) { (self.classIndex, self.segment) = (classIndex, segment) }

    /// The frame of the first detection.
    var firstFrame: Int { places.first?.frame ?? 0 }
    /// The frame of the last detection.
    var lastFrame: Int { places.last?.frame ?? 0 }

    /// Adds a detection.
    mutating func add(_ object: DetectedObject, in frame: Int) {
        let box = object.frame
        places.append(
            FinishedTrack.Place(
                frame: frame,
                edges: SIMD4(Float(box.x), Float(box.y), Float(box.maxX), Float(box.maxY)),
                confidence: object.objectConfidence,
                isDetected: true
            )
        )
        labels.add(object.labels)
        if let detection = PackedDetection(object, like: lastDetails) {
            details[frame] = detection
            lastDetails = detection
        }
    }

    /// Adds a tracklet that begins after the end of this one.
    mutating func append(_ later: Tracklet) {
        places += later.places
        details.merge(later.details) { first, _ in first }
        labels.add(later.labels)
    }
}

/// The tracker's memory of an object.
///
/// It holds no references, since the tracker copies it often; labels stay with the detections.
struct FollowedObject: Sendable {
    /// The number of the object among all that the tracker ever began.
    let serial: Int
    /// The state of the track: tentative, confirmed or lost.
    var state = Track.State.tentative
    /// Where the object is: the box of the detection that was matched in this frame, otherwise the expected box.
    var frame: PixelRect
    /// The confidence of the last matched detection, 0…1.
    var confidence: Float
    /// The class of the last matched detection.
    var classIndex: Int?
    /// The position of the last matched detection among those of its frame.
    var lastIndex: Int
    /// Whether a detection was matched in this frame.
    var isDetected = true
    /// When the object was seen first, by the caller's time.
    var firstSeen: Duration
    /// Where the object was seen first.
    let firstFrame: PixelRect
    /// When the object was seen last, by the caller's time.
    var lastSeen: Duration
    /// Where the object is expected.
    var motion: BoxMotion
    /// The running mean confidence of the matched detections.
    var strength: Double
    /// In how many updates the object was seen.
    var hits = 1
    /// When the object was seen last, by the tracker's clock, in seconds.
    var seenAt: Double

    /// Creates the object that a detection begins.
    init(_ entry: DetectionGrid.Entry, serial: Int, at time: Duration, clock: Double) {
        self.serial = serial
        frame = entry.frame
        firstFrame = entry.frame
        confidence = entry.confidence
        classIndex = entry.classIndex
        lastIndex = entry.index
        firstSeen = time
        lastSeen = time
        motion = BoxMotion(entry.frame)
        strength = Double(entry.confidence)
        seenAt = clock
    }

    /// The identity; nil if the object has none yet.
    var identity: Int? {
        switch state {
        case .tentative: nil
        case .confirmed(let id), .lost(let id): id
        }
    }

    /// Whether the object has no identity yet.
    var isTentative: Bool { state == .tentative }

    /// Whether the object was seen in the last frame in which the detector ran, and has an identity.
    var isConfirmed: Bool {
        if case .confirmed = state { true } else { false }
    }

    /// Whether the object is out of sight.
    var isLost: Bool {
        if case .lost = state { true } else { false }
    }

    /// The confidence that the object exists, 0…1: the mean confidence of its detections, lower while they are few;
    /// never 0, so that a detector without confidences can be followed.
    ///
    /// Gains in the association are weighted with its square: of two objects that fit a detection about equally, the one that
    /// was seen more often and more clearly is right more often. The other is likely a false or a second box.
    var certainty: Double {
        max(strength * Double(hits) / (Double(hits) + TrackerConstants.initialDoubt), TrackerConstants.leastCertainty)
    }

    /// The object as callers see it, at the time of the frame.
    ///
    /// - Parameter detections: the detections of the last update; an object out of sight has no labels.
    func object(at time: Duration, detections: [DetectedObject]) -> DetectedObject {
        DetectedObject(
            frame: frame,
            confidence: confidence,
            classIndex: classIndex,
            labels: isLost ? [] : detections[lastIndex].labels,
            points: isDetected ? detections[lastIndex].points : nil,
            mask: isDetected ? detections[lastIndex].mask : nil,
            track: Track(
                state: state,
                firstSeen: firstSeen,
                firstFrame: firstFrame,
                lastSeen: lastSeen,
                age: time.since(firstSeen),
                isDetected: isDetected,
                detectionIndex: isDetected ? lastIndex : nil
            )
        )
    }

    /// Updates the object with the detection that was matched in this frame.
    mutating func match(_ entry: DetectionGrid.Entry, noiseScale: Double, at time: Duration, clock: Double) {
        motion.correct(with: entry.frame, noiseScale: noiseScale)
        hits += 1
        strength += (Double(entry.confidence) - strength) / min(Double(hits), TrackerConstants.strengthCount)
        seenAt = clock
        frame = entry.frame
        confidence = entry.confidence
        classIndex = entry.classIndex
        lastIndex = entry.index
        isDetected = true
        lastSeen = time
    }
}

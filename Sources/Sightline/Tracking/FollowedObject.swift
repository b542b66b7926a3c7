/// The tracker's memory of an object.
struct FollowedObject: Sendable {
    /// The tracker's knowledge of the object, as callers see it.
    var track: Track
    /// Where the object is: the box of the detection that was matched in this frame, otherwise the expected box.
    var frame: PixelRect
    /// The confidence of the last matched detection, 0…1.
    var confidence: Float
    /// The class of the last matched detection.
    var classIndex: Int?
    /// The labels of the last matched detection.
    var labels: [Label] = []
    /// Where the object is expected.
    var motion: BoxMotion
    /// The running mean confidence of the matched detections.
    var strength: Double
    /// In how many updates the object was seen.
    var hits = 1
    /// When the object was seen last, by the tracker's clock, in seconds.
    var seenAt: Double

    /// Creates the object that a detection begins.
    init(_ entry: DetectionGrid.Entry, at time: Duration, clock: Double) {
        track = Track(state: .tentative, firstSeen: time, lastSeen: time, detectionIndex: entry.index)
        frame = entry.frame
        confidence = entry.confidence
        classIndex = entry.classIndex
        motion = BoxMotion(entry.frame)
        strength = Double(entry.confidence)
        seenAt = clock
    }

    /// The object as callers see it, at the time of the frame.
    func object(at time: Duration) -> DetectedObject {
        var track = track
        track.age = time.since(track.firstSeen)
        track.isDetected = track.detectionIndex != nil
        return DetectedObject(
            frame: frame,
            confidence: confidence,
            classIndex: classIndex,
            labels: labels,
            track: track
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
        track.detectionIndex = entry.index
        track.lastSeen = time
    }
}

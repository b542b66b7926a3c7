/// An object with all that the tracker knows of it.
struct FollowedObject: Sendable {
    /// What callers see.
    var track: Track
    /// Where it is expected.
    var motion: BoxMotion
    /// The mean confidence of the detections that were matched, more or less of the last ones.
    var strength: Double
    /// In how many updates it was seen.
    var hits = 1
    /// When it was seen last, by the tracker's clock, in seconds.
    var seenAt: Double

    /// An object that a detection begins.
    init(_ entry: DetectionGrid.Entry, at time: Duration, clock: Double) {
        track = Track(
            id: nil,
            state: .tentative,
            frame: entry.frame,
            confidence: entry.confidence,
            classIndex: entry.classIndex,
            detectionIndex: entry.index,
            firstSeen: time,
            lastSeen: time
        )
        motion = BoxMotion(entry.frame)
        strength = Double(entry.confidence)
        seenAt = clock
    }

    /// Takes in the detection that was matched in this frame.
    mutating func match(_ entry: DetectionGrid.Entry, noiseScale: Double, at time: Duration, clock: Double) {
        motion.correct(with: entry.frame, noiseScale: noiseScale)
        hits += 1
        strength += (Double(entry.confidence) - strength) / min(Double(hits), TrackerConstants.strengthCount)
        seenAt = clock
        track.frame = entry.frame
        track.confidence = entry.confidence
        track.classIndex = entry.classIndex
        track.detectionIndex = entry.index
        track.lastSeen = time
    }
}

extension ObjectTracker {
    /// Notes where the objects with an identity are expected, before detections correct any of them.
    mutating func noteExpectedBoxes() {
        let start = clock - TrackerConstants.coverMemory
        expected.fill(withExpected: followed) { $0.isConfirmed || ($0.isLost && $0.seenAt > start) }
    }

    /// The factor by which the measured box of an object is less exact because other objects cover it; 1 in plain view.
    ///
    /// The box of a half-hidden object shrinks to its visible part, or moves over to the object in front. A tracker that
    /// follows such boxes has lost place, speed and size by the time the objects part. Expected boxes show the
    /// cover, since they stay whole while the detector cuts or misses boxes. The object whose bottom edge is lower is in
    /// front, as seen from a camera above the ground.
    func coverNoiseScale(of index: Int) -> Double {
        let box = followed[index].motion.frame
        var covered = 0.0
        expected.forEach(near: box, margin: 0) { position in
            let other = expected.entries[position].frame
            guard expected.entries[position].index != index, other.maxY > box.maxY,
                let shared = box.intersection(other)
            else { return }
            covered = max(covered, shared.area / box.area)
        }
        return 1 + TrackerConstants.coveredNoise * max(0, covered - TrackerConstants.leastCover)
    }

    /// Whether no other object is expected where an object is expected.
    func standsApart(_ index: Int) -> Bool {
        let box = followed[index].motion.frame
        var isApart = true
        expected.forEach(near: box, margin: 0) { position in
            let other = expected.entries[position]
            if other.index != index, box.intersection(other.frame) != nil { isApart = false }
        }
        return isApart
    }
}

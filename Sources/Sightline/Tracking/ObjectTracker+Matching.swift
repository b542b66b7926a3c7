extension ObjectTracker {
    /// A part of the frame's detections, by their confidence.
    private enum Trust {
        case high, low
    }

    /// Matches the detections of the frame with the objects: first the trusted detections with the objects that have an
    /// identity, then the detections below the high threshold with the remaining objects (Y. Zhang and others, "ByteTrack: Multi-Object Tracking by
    /// Associating Every Detection Box", ECCV 2022), then the remaining trusted detections with the tentative objects.
    mutating func matchDetections() {
        followCamera()
        noteExpectedBoxes()
        findPairs(least: TrackerConstants.leastSimilarity, among: .high) { !$0.isTentative }
        takePairs()
        let recallStart = clock - TrackerConstants.lowRecall
        findPairs(
            least: TrackerConstants.leastLowSimilarity,
            leastApart: TrackerConstants.leastSimilarity,
            among: .low
        ) { [options] in
            switch $0.state {
            case .tentative: false
            case .confirmed: true
            case .lost:
                $0.seenAt > recallStart
                    && $0.strength >= Double(options.highThreshold(of: $0.classIndex))
                        + TrackerConstants.lowRecallStrength
            }
        }
        takePairs()
        findPairs(least: TrackerConstants.leastTentativeSimilarity, among: .high) { $0.isTentative }
        takePairs()
    }

    /// Pairs trusted detections with objects in plain view, with a wide margin and for no more than the shared motion.
    mutating func findTrialPairs() {
        findPairs(
            least: TrackerConstants.leastSimilarity,
            among: .high,
            extraMargin: TrackerConstants.cameraMargin
        ) { $0.isConfirmed && $0.hits > 2 }
    }

    /// Fills `rows` and `assignment` with the best pairs of the objects and detections that are left.
    ///
    /// - Parameters:
    ///   - least: the least similarity of a pair.
    ///   - leastApart: the least similarity for an object that was in view in the last frame and that no other touches, if it
    ///     differs: a box there can hardly be of anything else.
    private mutating func findPairs(
        least: Double,
        leastApart: Double? = nil,
        among trust: Trust,
        extraMargin: Double = 0,
        where isCandidate: (FollowedObject) -> Bool
    ) {
        rows.removeAll(keepingCapacity: true)
        assignment.begin(columnCount: grid.entries.count)
        for index in followed.indices where !followed[index].isDetected {
            let object = followed[index]
            guard isCandidate(object) else { continue }
            let unseen = clock - object.seenAt
            let margin =
                TrackerConstants.margin + extraMargin
                + min(TrackerConstants.marginGrowth * unseen, TrackerConstants.largestMargin)
            let penalty = TrackerConstants.unseenPenalty * unseen
            let weight = object.certainty * object.certainty
            let required = if let leastApart, object.isConfirmed, standsApart(index) { leastApart } else { least }
            let box = object.motion.frame.grown(by: margin)
            grid.forEach(near: box, margin: margin) { position in
                let entry = grid.entries[position]
                guard entry.owner == nil, isTrusted(entry) == (trust == .high) else { return }
                guard !options.isClassAware || entry.classIndex == object.classIndex else { return }
                let doubt = TrackerConstants.confidenceShare * (1 - Double(entry.confidence))
                let similarity = BoxSimilarity.of(box, entry.frame, margin: margin) * (1 - doubt) - penalty
                var gain = similarity - required
                if trust == .high, similarity > 0, let cue = appearances.cue(of: object.serial, and: entry.index) {
                    // Looks decide between objects. They never part an object from a detection that lies where it is expected.
                    gain = max(gain + cue, min(gain, TrackerConstants.leastGain))
                }
                if gain > 0 { assignment.add(column: position, gain: gain * weight) }
            }
            if assignment.endRow(mostPairs: TrackerConstants.mostCandidates) { rows.append(index) }
        }
        assignment.solve()
    }

    /// Gives the objects of `rows` their detections.
    private mutating func takePairs() {
        let time = lastTime ?? .zero
        for (row, index) in rows.enumerated() {
            guard let position = assignment.column(of: row) else { continue }
            let entry = grid.entries[position]
            grid.take(position, for: index)
            let noiseScale = (isTrusted(entry) ? 1 : TrackerConstants.lowNoise) * coverNoiseScale(of: index)
            followed[index].match(entry, noiseScale: noiseScale, at: time, clock: clock)
            if isTrusted(entry) { appearances.learn(followed[index].serial, from: entry.index) }
        }
    }
}

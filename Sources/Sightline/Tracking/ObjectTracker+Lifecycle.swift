extension ObjectTracker {
    /// Moves every object to where it is expected at a time, and forgets the objects that were out of sight for too long.
    mutating func carry(to time: Duration, cameraMotion: CameraMotion) {
        let passed = lastTime.map { max(0, time.inSeconds - $0.inSeconds) } ?? 0
        lastTime = time
        clock += passed
        let step = min(passed, TrackerConstants.longestStep)
        carried += step
        forgetUnseen()
        let isCameraMoving = cameraMotion != .none && cameraMotion.isUsable
        for index in followed.indices {
            if isCameraMoving { followed[index].motion.move(with: cameraMotion) }
            followed[index].motion.advance(by: step)
            followed[index].motion.midX += cameraVelocity.x * step
            followed[index].motion.midY += cameraVelocity.y * step
            followed[index].frame = followed[index].motion.frame
            followed[index].isDetected = false
        }
    }

    /// Begins a track for each trusted detection that matches no object and overlaps none.
    mutating func beginTracks() {
        let time = lastTime ?? .zero
        for position in grid.entries.indices {
            let entry = grid.entries[position]
            guard entry.owner == nil, isTrusted(entry), !liesOnObjectInView(entry) else { continue }
            grid.take(position, for: followed.count)
            lastSerial += 1
            followed.append(FollowedObject(entry, serial: lastSerial, at: time, clock: clock))
            appearances.learn(lastSerial, from: entry.index)
        }
    }

    /// Whether a detection covers about the same place as the detection of an object that has an identity: most often a second
    /// box of it, and seldom a newcomer, who first shows at the side of the object in front (track-aware initialization: K. Shim
    /// and others, "Focusing on Tracks for Online Multi-Object Tracking", CVPR 2025).
    private func liesOnObjectInView(_ entry: DetectionGrid.Entry) -> Bool {
        var isOnObject = false
        grid.forEach(near: entry.frame, margin: 0) { position in
            let other = grid.entries[position]
            guard let owner = other.owner, !followed[owner].isTentative else { return }
            guard !options.isClassAware || other.classIndex == entry.classIndex else { return }
            if other.frame.iou(entry.frame) > TrackerConstants.birthOverlap { isOnObject = true }
        }
        return isOnObject
    }

    /// Holds back a doubtful object that covers the same place as a more confident object: most often a second box of one
    /// object.
    ///
    /// Two boxes of one object differ from two objects that cover each other: the detector is not confident of the weaker box
    /// for long.
    mutating func holdBackDuplicates() {
        heldBack.removeAll(keepingCapacity: true)
        for index in followed.indices where followed[index].isDetected {
            let object = followed[index]
            let enough = Double(options.highThreshold(of: object.classIndex)) + TrackerConstants.duplicateStrength
            guard object.strength < enough else { continue }
            var isDuplicate = false
            grid.forEach(near: object.frame, margin: 0) { position in
                let entry = grid.entries[position]
                guard let owner = entry.owner, owner != index else { return }
                guard !options.isClassAware || entry.classIndex == object.classIndex else { return }
                let other = followed[owner].strength
                guard other > object.strength || (other == object.strength && owner < index) else { return }
                if object.frame.iou(entry.frame) > TrackerConstants.duplicateOverlap { isDuplicate = true }
            }
            if isDuplicate { heldBack.append(index) }
        }
        for index in heldBack { followed[index].isDetected = false }
    }

    /// Confirms, loses and forgets tracks after the detections were matched.
    mutating func settle() {
        for index in followed.indices {
            switch (followed[index].state, isDetected: followed[index].isDetected) {
            case (.confirmed(let id), false):
                followed[index].state = .lost(id: id)
                followed[index].frame = followed[index].motion.frame
            case (.lost(let id), true):
                followed[index].state = .confirmed(id: id)
            case (.tentative, true) where followed[index].hits >= options.confirmationHits:
                lastID += 1
                followed[index].state = .confirmed(id: lastID)
            default: break
            }
        }
        followed.removeAll { !$0.isDetected && $0.isTentative }
        forgetUnseen()
    }

    private mutating func forgetUnseen() {
        let memory = options.memory.inSeconds
        followed.removeAll { $0.isLost && clock - $0.seenAt > memory }
    }
}

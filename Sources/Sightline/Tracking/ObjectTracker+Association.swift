extension ObjectTracker {
    /// Seconds, of any duration.
    static func seconds(_ duration: Duration) -> Double {
        let limit = Duration.seconds(1_000_000_000_000)
        let parts = min(max(duration, .zero - limit), limit).components
        return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    }

    /// Time passes: every object moves to where it is expected.
    mutating func carry(to time: Duration, cameraMotion: CameraMotion) {
        let passed = lastTime.map { max(0, Self.seconds(time) - Self.seconds($0)) } ?? 0
        lastTime = time
        clock += passed
        let step = min(passed, max(Self.seconds(options.memory), 0))
        for index in followed.indices {
            if cameraMotion != .none { followed[index].motion.move(with: cameraMotion) }
            followed[index].motion.advance(by: step, tuning: tuning)
            followed[index].track.frame = followed[index].motion.frame
            followed[index].track.detectionIndex = nil
        }
    }

    /// Matches the detections of the frame with the objects, the surest first.
    mutating func associate() {
        for index in followed.indices {
            followed[index].wasSeen = followed[index].track.state != .lost
        }
        let high = options.highThreshold
        match(
            minimum: tuning.minimumHigh,
            tracks: { $0.track.state != .tentative },
            detections: { $0.confidence >= high }
        )
        match(
            minimum: tuning.minimumLow,
            tracks: { $0.track.state == .confirmed },
            detections: { $0.confidence < high }
        )
        match(
            minimum: tuning.minimumLast,
            extraBuffer: tuning.lastBuffer,
            tracks: { $0.track.state != .tentative },
            detections: { $0.confidence >= high }
        )
        match(
            minimum: tuning.minimumTentative,
            tracks: { $0.track.state == .tentative },
            detections: { $0.confidence >= high }
        )
    }

    private mutating func match(
        minimum: Double,
        extraBuffer: Double = 0,
        tracks: (FollowedObject) -> Bool,
        detections: (DetectionGrid.Entry) -> Bool
    ) {
        rows.removeAll(keepingCapacity: true)
        assignment.begin(columnCount: grid.entries.count)
        for index in followed.indices where followed[index].track.detectionIndex == nil && tracks(followed[index]) {
            let object = followed[index]
            let unseen = clock - object.seenAt
            let buffer = min(tuning.buffer + tuning.bufferGrowth * unseen, tuning.bufferMax) + extraBuffer
            let box = object.motion.frame.grown(by: buffer)
            var count = 0
            grid.forEach(near: box) { position in
                let entry = grid.entries[position]
                guard !entry.isTaken, detections(entry) else { return }
                guard !options.isClassAware || entry.classIndex == object.track.classIndex else { return }
                let other = entry.frame.grown(by: buffer)
                var similarity = box.iou(other)
                if tuning.heightPower > 0 {
                    let shared = min(box.maxY, other.maxY) - max(box.y, other.y)
                    let whole = max(box.maxY, other.maxY) - min(box.y, other.y)
                    similarity *= max(0, 1 + tuning.heightPower * (shared / whole - 1))
                }
                if tuning.scoreWeight > 0 {
                    similarity *= 1 + tuning.scoreWeight * (Double(entry.confidence) - 1)
                }
                if similarity > minimum {
                    assignment.add(column: position, gain: similarity - minimum)
                    count += 1
                }
            }
            if count > 0 {
                rows.append(index)
                assignment.endRow()
            }
        }
        if rows.isEmpty { return }
        assignment.solve()
        for (row, index) in rows.enumerated() {
            let position = assignment.columnOfRow[row]
            if position >= 0 { pair(index, with: position) }
        }
    }

    private mutating func pair(_ index: Int, with position: Int) {
        let entry = grid.entries[position]
        grid.take(position)
        let noiseScale = entry.confidence >= options.highThreshold ? 1 : tuning.lowNoise
        followed[index].motion.correct(with: entry.frame, noiseScale: noiseScale, tuning: tuning)
        followed[index].hits += 1
        followed[index].seenAt = clock
        followed[index].track.frame = entry.frame
        followed[index].track.confidence = entry.confidence
        followed[index].track.classIndex = entry.classIndex
        followed[index].track.detectionIndex = entry.index
        followed[index].track.lastSeen = lastTime ?? .zero
    }

    /// Begins a track for each trusted detection that belongs to none.
    mutating func beginTracks() {
        let time = lastTime ?? .zero
        for entry in grid.entries
        where !entry.isTaken && entry.confidence >= options.highThreshold + Float(tuning.newMargin) {
            followed.append(
                FollowedObject(
                    track: Track(
                        id: nil,
                        state: .tentative,
                        frame: entry.frame,
                        confidence: entry.confidence,
                        classIndex: entry.classIndex,
                        detectionIndex: entry.index,
                        firstSeen: time,
                        lastSeen: time
                    ),
                    motion: BoxMotion(entry.frame, tuning: tuning),
                    seenAt: clock
                )
            )
        }
    }

    /// Confirms, loses and forgets tracks after the frame was matched.
    mutating func settle() {
        for index in followed.indices {
            if followed[index].track.detectionIndex == nil {
                if followed[index].track.state == .confirmed { followed[index].track.state = .lost }
            } else if followed[index].track.id != nil {
                followed[index].track.state = .confirmed
            } else if followed[index].hits >= options.confirmationHits {
                lastID += 1
                followed[index].track.id = lastID
                followed[index].track.state = .confirmed
            }
        }
        let memory = Self.seconds(options.memory)
        followed.removeAll {
            $0.track.detectionIndex == nil && ($0.track.state == .tentative || clock - $0.seenAt > memory)
        }
    }
}

extension PixelRect {
    /// The rectangle with a margin of a share of its size on each side.
    func grown(by share: Double) -> PixelRect {
        PixelRect(
            x: x - width * share,
            y: y - height * share,
            width: width * (1 + 2 * share),
            height: height * (1 + 2 * share)
        )
    }
}

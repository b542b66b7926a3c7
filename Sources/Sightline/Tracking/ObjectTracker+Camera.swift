extension ObjectTracker {
    /// Finds the motion of the whole picture from the motion of the objects in it, and moves all objects with it.
    ///
    /// A hand-held or driving camera causes a shift that all objects share, and that no object's own motion predicts.
    /// A trial association with wide margins pairs objects with detections; the median of the shifts between where the
    /// objects were expected and where they are is the shared shift. Its weight grows with its size in relation to the objects'
    /// disagreement. It needs no pixels, and moves hidden objects as well.
    mutating func followCamera() {
        guard options.followsCamera else { return }
        findTrialPairs()
        shifts.removeAll(keepingCapacity: true)
        for (row, index) in rows.enumerated() {
            guard let position = assignment.column(of: row) else { continue }
            let box = grid.entries[position].frame
            let motion = followed[index].motion
            shifts.append((x: box.midX - motion.midX, y: box.midY - motion.midY, height: motion.height))
        }
        guard shifts.count >= TrackerConstants.fewestForCamera else { return giveUpCamera() }
        let x = median { $0.x }
        let y = median { $0.y }
        let disagreement = median { (($0.x - x) * ($0.x - x) + ($0.y - y) * ($0.y - y)).squareRoot() }
        let doubt =
            (disagreement + TrackerConstants.cameraNoise * median { $0.height }) * TrackerConstants.cameraDoubt
            / Double(shifts.count).squareRoot()
        let strength = x * x + y * y
        guard strength > 0 else { return }
        let gain = TrackerConstants.cameraGain * strength / (strength + doubt * doubt)
        for index in followed.indices {
            followed[index].motion.midX += x * gain
            followed[index].motion.midY += y * gain
        }
        // A camera that turns continues to turn.
        if carried > 0 {
            cameraVelocity.x += x * gain / carried
            cameraVelocity.y += y * gain / carried
        }
    }

    /// With too few objects to separate their motion from the camera's, all motion is theirs.
    private mutating func giveUpCamera() {
        guard cameraVelocity != (0, 0) else { return }
        for index in followed.indices {
            followed[index].motion.velocityX += cameraVelocity.x
            followed[index].motion.velocityY += cameraVelocity.y
        }
        cameraVelocity = (0, 0)
    }

    /// The median of a number of each shift; 0 without shifts.
    private mutating func median(_ value: ((x: Double, y: Double, height: Double)) -> Double) -> Double {
        sorted.removeAll(keepingCapacity: true)
        for shift in shifts { sorted.append(value(shift)) }
        sorted.sort()
        guard let last = sorted.indices.last else { return 0 }
        return (sorted[last / 2] + sorted[(last + 1) / 2]) / 2
    }
}

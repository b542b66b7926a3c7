extension ObjectTracker {
    /// The speed from which an object moves, in parts of its size a second: a detector's boxes tremble.
    private static let leastSpeed = 0.25
    /// For how long the next frame may find a lost object again, in s. A longer memory waits for its return.
    private static let searchSeconds = 1.5

    /// Keeps the objects over a frame in which nothing has changed since the last update: those in view stay where they are, however
    /// long that lasts.
    ///
    /// - Parameter time: when the frame is shown, as for `update`.
    /// - Returns: the confirmed objects, as for `advance`.
    mutating func rest(until time: Duration) -> [DetectedObject] {
        let passed = lastTime.map { max(0, time.inSeconds - $0.inSeconds) } ?? 0
        lastTime = time
        clock += passed
        for index in followed.indices {
            followed[index].isDetected = false
            if followed[index].isConfirmed { followed[index].seenAt += passed }
        }
        return confirmedObjects(at: time)
    }

    /// The boxes of the objects in view that move.
    var movingFrames: [PixelRect] { followed.filter(Self.isMoving).map(\.frame) }

    /// Whether the next frame matters to the tracker, whether or not anything has changed: an object moves, is out of sight, or has
    /// no identity yet.
    var isUnsettled: Bool {
        followed.contains { object in
            object.isTentative || Self.isMoving(object) || object.isLost && clock - object.seenAt <= Self.searchSeconds
        }
    }

    private static func isMoving(_ object: FollowedObject) -> Bool {
        guard !object.isLost else { return false }
        let motion = object.motion
        let speed = motion.velocityX * motion.velocityX + motion.velocityY * motion.velocityY
        return speed > leastSpeed * leastSpeed * motion.width * motion.height
    }
}

extension ObjectTracker {
    /// The speed from which an object moves, in parts of its size a second: three times the error of a trembling box's speed, about.
    private static let leastSpeed = 1.0

    /// Keeps the objects over a frame in which nothing has changed since the last update: those in view stay where they are, and those
    /// out of sight are remembered for as long as that lasts.
    ///
    /// - Parameter time: when the frame is shown, as for `update`.
    /// - Returns: the confirmed objects, as for `advance`.
    mutating func rest(until time: Duration) -> [DetectedObject] {
        lastTime = time
        for index in followed.indices { followed[index].isDetected = false }
        return confirmedObjects(at: time)
    }

    /// The boxes of the objects in view that move.
    var movingFrames: [PixelRect] { followed.filter(Self.isMoving).map(\.frame) }

    /// Whether the next frame matters to the tracker, whether or not anything has changed: an object moves, is out of sight, or has
    /// no identity yet.
    var isUnsettled: Bool { followed.contains { $0.isTentative || $0.isLost || Self.isMoving($0) } }

    private static func isMoving(_ object: FollowedObject) -> Bool {
        guard !object.isLost else { return false }
        let motion = object.motion
        let speed = motion.velocityX * motion.velocityX + motion.velocityY * motion.velocityY
        return speed > leastSpeed * leastSpeed * motion.width * motion.height
    }
}

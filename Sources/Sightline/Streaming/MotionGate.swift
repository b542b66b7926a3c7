/// Decides on which frames of a fixed camera the detector runs: where the picture differs from the one that the detector saw last.
///
/// Because the picture is compared with that one and not with the previous one, slow motion adds up until it counts. The gate opens for the
/// first frames, while the picture changes and a little longer, and for a look from time to time. A detector's answers tremble even if
/// nothing changes, so that the tracker's need of an answer keeps it open for a short time only.
/// It depends on the frames alone, and on the objects in the frames before.
struct MotionGate: Sendable {
    private var changes = ChangeDetector()
    /// The time of the last frame, in seconds.
    private var lastTime: Double?
    /// When the picture changed last, in seconds.
    private var lastChange = -Double.infinity
    /// The times of the detector's last run and of its first run on an unchanged picture, in seconds.
    private var (lastRun, lookStart) = (-Double.infinity, -Double.infinity)
    /// The decision about the last frame.
    private(set) var isOpen = true
    /// Whether the picture changed within the last half second, up to the last frame.
    private(set) var seesMotion = true

    /// The longer side of the small gray copy: an eighth of a frame of 1920 × 1080 pixels.
    static let longerSide = 240
    /// The time after a change for which the detector continues, in seconds: until an object that stops has come to rest.
    static let holdSeconds = 0.5
    /// The time after a change for which the detector continues if the tracker needs an answer, in seconds: until it has forgotten an object
    /// that left.
    static let settlingSeconds = 2.0
    /// The longest time without the detector, in seconds. Then it runs again, so that a wrong box is removed.
    static let longestRestSeconds = 2.0
    /// For how long a look lasts if the tracker needs an answer, in seconds: a detector finds some objects in most frames only.
    static let lookSeconds = 0.1

    /// Whether the detector has to run on the next frame.
    ///
    /// - Parameters:
    ///   - picture: a small gray copy; nil if there is none.
    ///   - time: when the frame is shown, in seconds.
    ///   - moving: the boxes of objects that move, in pixels of the copy.
    ///   - isUnsettled: whether the tracker needs an answer.
    mutating func opens(
        for picture: GrayPicture?,
        at time: Double,
        moving: [PixelRect] = [],
        isUnsettled: Bool = false
    ) -> Bool {
        let passed = lastTime.map { max(time - $0, 0) } ?? 0
        lastTime = time
        // Without a copy the detector reports why the frame cannot be read.
        if picture.map({ changes.finds($0, after: passed, besides: moving) }) ?? true { lastChange = time }
        // Not if times go back.
        func isWithin(_ seconds: Double, of earlier: Double) -> Bool { (0..<seconds).contains(time - earlier) }
        seesMotion = isWithin(Self.holdSeconds, of: lastChange)
        let isHeld =
            seesMotion
            || isUnsettled && isWithin(Self.settlingSeconds, of: lastChange)
        if !isHeld, !isWithin(Self.longestRestSeconds, of: lastRun) { lookStart = time }
        isOpen = isHeld || time == lookStart || isUnsettled && isWithin(Self.lookSeconds, of: lookStart)
        if isOpen {
            lastRun = time
            changes.refer()
        }
        return isOpen
    }

    /// Forgets the scene; the detector runs on the next frame.
    mutating func reset() { self = MotionGate() }
}

extension MotionGate {
    /// Whether the detector has to run on the next frame.
    ///
    /// - Parameters:
    ///   - region: the part of the upright frame that the detector sees; nil for all of it.
    ///   - tracker: the objects in the frames before.
    mutating func opens(for frame: VideoFrame, region: PixelRect?, knowing tracker: ObjectTracker) -> Bool {
        let time = frame.timestamp.inSeconds
        guard let part = try? frame.image.region(region) else { return opens(for: nil, at: time) }
        let placement = GrayPicture.placement(of: part, longerSide: Self.longerSide)
        let picture = (try? frame.image.decoded(for: [placement])).flatMap { try? GrayPicture($0, at: placement) }
        let scale = Double(picture?.size.width ?? 0) / part.width
        let moving = tracker.movingFrames.map { box in
            PixelRect(
                x: (box.x - part.x) * scale,
                y: (box.y - part.y) * scale,
                width: box.width * scale,
                height: box.height * scale
            )
        }
        return opens(for: picture, at: time, moving: moving, isUnsettled: tracker.isUnsettled)
    }
}

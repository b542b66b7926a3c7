/// The detections in a single frame, and a small picture of it, without regard to earlier frames.
///
/// Frames are observed concurrently; the tracker then applies the observations in the order of the frames.
struct FrameObservation: Sendable {
    let role: FrameRole
    /// Nil if the detector did not run.
    let found: DetectionStage.Found?
    /// The appearance of each detection; empty if it is not wanted.
    let appearances: [Appearance?]
    /// A small gray copy for the estimate of the camera's motion; nil if no estimate is wanted.
    let gray: GrayPicture?
    let timings: StageTimings

    /// The largest number of boxes that are followed in one frame.
    private static let maximumDetections = 500

    /// Observes a frame.
    ///
    /// - Parameters:
    ///   - minimumScore: boxes below this confidence are of no use to the tracker.
    ///   - maximumObjects: the limit on the boxes that are confident enough to be objects; nil for no limit.
    ///   - seesMotion: whether the camera's motion is wanted.
    ///   - appearanceConfidence: the confidence from which the appearance of a detection is wanted; nil for no appearances.
    init(
        of image: VisionImage,
        by stage: DetectionStage,
        as role: FrameRole,
        with runner: inout DetectionRunner,
        minimumScore: Float,
        maximumObjects: Int?,
        seesMotion: Bool,
        appearanceConfidence: Float?
    ) throws {
        var clock = StageClock()
        var found: DetectionStage.Found?
        if role == .detection {
            var sighted = try stage.detections(
                in: image,
                thresholds: ClassThresholds(minimumScore),
                maximumCount: Self.maximumDetections,
                with: &runner,
                clock: &clock
            )
            if let maximumObjects {
                // The most confident boxes come first; boxes below the score threshold only continue tracks.
                var confident = 0
                sighted.detections.removeAll { detection in
                    guard detection.objectConfidence >= stage.scoreThresholds[detection.classIndex] else {
                        return false
                    }
                    confident += 1
                    return confident > maximumObjects
                }
            }
            found = sighted
        }
        (self.role, self.found) = (role, found)
        if let found, let appearanceConfidence {
            appearances = try clock.measure(\.tracking) {
                try Appearance.of(found.detections, minimumConfidence: appearanceConfidence, in: found.picture)
            }
        } else {
            appearances = []
        }
        gray = seesMotion ? try Self.gray(image, decoded: found?.picture, &clock) : nil
        timings = clock.timings
    }

    private static func gray(
        _ image: VisionImage,
        decoded picture: DecodedImage?,
        _ clock: inout StageClock
    ) throws -> GrayPicture {
        let placement = GrayPicture.placement(of: image.size)
        let small = try clock.measure(\.decoding) {
            if let picture, picture.suffices(for: placement) { return picture }
            return try image.decoded(for: [placement])
        }
        return try clock.measure(\.tracking) { try GrayPicture(small) }
    }
}

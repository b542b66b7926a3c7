/// What is seen in one frame by itself, without what is known of the frames before it.
///
/// Frames can be looked at side by side; what they mean for the stream is then reckoned one after the other.
struct FrameView: Sendable {
    /// What the detector found, and the picture as it was decoded for it.
    typealias Found = (detections: [DetectedObject], picture: DecodedImage)

    /// Nil if the detector did not run.
    let found: Found?
    /// For the camera's motion; nil where that is not asked for.
    let grey: GreyPicture?
    let timings: StageTimings

    /// More boxes than this are never followed in one frame.
    private static let maximumDetections = 500

    /// Looks at a frame.
    ///
    /// - Parameters:
    ///   - detects: whether the detector runs.
    ///   - minimumScore: boxes below this confidence are of no use to the tracker.
    ///   - seesMotion: whether the camera's motion is wanted.
    init(
        of image: VisionImage,
        by stage: DetectionStage,
        detects: Bool,
        with runner: inout ModelRunner,
        minimumScore: Float,
        seesMotion: Bool
    ) throws {
        var clock = StageClock()
        var found: Found?
        if detects {
            let findings = try stage.detections(
                in: image,
                minimumScore: minimumScore,
                maximumCount: Self.maximumDetections,
                with: &runner,
                clock: &clock
            )
            found = (findings.detections, findings.picture)
        }
        self.found = found
        grey = seesMotion ? try Self.grey(image, decoded: found?.picture, &clock) : nil
        timings = clock.timings
    }

    private static func grey(
        _ image: VisionImage,
        decoded picture: DecodedImage?,
        _ clock: inout StageClock
    ) throws -> GreyPicture {
        let placement = GreyPicture.placement(of: image.size)
        let small = try clock.measure(\.decoding) {
            if let picture, picture.suffices(for: placement) { return picture }
            return try image.decoded(for: [placement])
        }
        return try clock.measure(\.tracking) { try GreyPicture(small) }
    }
}

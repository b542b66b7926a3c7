import Sightline
import SightlineTestSupport
import Testing

/// No output of a detector can stop the tracker.
@Suite(.hangLimit) struct ObjectTrackerBadInputTests {
    private static let good = DetectedObject(frame: PixelRect(x: 10, y: 10, width: 40, height: 80), confidence: 0.9)

    private static let odd: [Double] = [
        .nan, .infinity, -Double.infinity, 0, -1, 1, -1e300, 1e300, 1e-300, 1e7, -1e7, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude, 1e-3,
    ]

    @Test func `Unusable boxes are ignored, and good ones beside them followed`() {
        let unusable = [
            PixelRect(x: .nan, y: 0, width: 10, height: 10), PixelRect(x: 0, y: .infinity, width: 10, height: 10),
            PixelRect(x: 0, y: 0, width: .nan, height: 10), PixelRect(x: 0, y: 0, width: 10, height: -10),
            PixelRect(x: 0, y: 0, width: 0, height: 10), PixelRect(x: 1e8, y: 0, width: 10, height: 10),
            PixelRect(x: 0, y: 0, width: 1e8, height: 10), PixelRect(x: 0, y: 0, width: 1e-300, height: 10),
        ].map { DetectedObject(frame: $0, confidence: 0.9) }
        var tracker = ObjectTracker()
        for index in 0..<5 {
            let objects = tracker.update(unusable + [Self.good], at: .milliseconds(40 * index))
            #expect(objects.map(\.track?.detectionIndex) == [unusable.count])
        }
        #expect(tracker.objects.map(\.id) == [1])
    }

    @Test(arguments: [Float.nan, -1, -Float.infinity]) func `Confidences that are none are ignored`(confidence: Float) {
        var tracker = ObjectTracker()
        let found = tracker.update([DetectedObject(frame: Self.good.frame, confidence: confidence)], at: .zero)
        #expect(found.isEmpty)
    }

    @Test(arguments: [Float.infinity, 2, 1.0001] as [Float]) func `Confidences above 1 count as 1`(confidence: Float) {
        var tracker = ObjectTracker()
        let objects = tracker.update([DetectedObject(frame: Self.good.frame, confidence: confidence)], at: .zero)
        #expect(objects.map(\.confidence) == [1])
    }

    @Test(arguments: 1...20) func `Boxes of odd numbers keep every promise`(seed: UInt64) {
        var random = RepeatableRandom(seed: seed)
        func odd() -> Double { Self.odd.randomElement(using: &random) ?? 0 }
        let frames = (0..<20).map { index in
            (
                time: Duration.milliseconds(40 * index),
                detections: (0..<20).map { _ in
                    DetectedObject(
                        frame: PixelRect(x: odd(), y: odd(), width: odd(), height: odd()),
                        confidence: Float(odd()),
                        classIndex: [nil, 0, .min, .max].randomElement(using: &random) ?? nil
                    )
                }
            )
        }
        checkTracker(frames: frames)
    }

    @Test(arguments: [Double.nan, .infinity, 0, -1, 1e300]) func `A camera motion that cannot be counts as none`(
        value: Double
    ) {
        var tracker = ObjectTracker()
        for index in 0..<5 { _ = tracker.update([Self.good], at: .milliseconds(40 * index)) }
        let motions = [
            CameraMotion(translationX: 0, translationY: 0, scale: value),
            CameraMotion(translationX: 0, translationY: 0, scale: 1, rotation: value.isFinite ? .nan : value),
        ]
        for (index, motion) in motions.enumerated() {
            let objects = tracker.update([Self.good], at: .milliseconds(200 + 40 * index), cameraMotion: motion)
            #expect(objects.map(\.id) == [1])
        }
    }

    @Test func `Camera motions that carry objects beyond all numbers do no harm`() {
        var tracker = ObjectTracker()
        let away = CameraMotion(
            translationX: .greatestFiniteMagnitude,
            translationY: -.greatestFiniteMagnitude,
            scale: 10
        )
        for index in 0..<400 {
            _ = tracker.update(index < 3 ? [Self.good] : [], at: .milliseconds(index), cameraMotion: away)
        }
        let found = tracker.update([Self.good], at: .seconds(1))
        #expect(found.count == 1)
    }

    @Test(arguments: [Float.nan, -1, 2, .infinity]) func `Odd thresholds do no harm`(threshold: Float) {
        let scene = GeneratedScene(seed: 3, objects: 10, frames: 10)
        for options in [
            ObjectTrackerOptions(highThreshold: threshold), ObjectTrackerOptions(lowThreshold: threshold),
            ObjectTrackerOptions(confirmationHits: Int(exactly: threshold) ?? .min),
        ] {
            checkTracker(options: options, frames: scene.frames.map { ($0.time, $0.detections) })
        }
    }

    @Test func `Ten thousand boxes in a frame are followed`() {
        var random = RepeatableRandom(seed: 1)
        let places = (0..<10_000).map { (x: Double($0 % 100) * 50, y: Double($0 / 100) * 50) }
        var tracker = ObjectTracker()
        for index in 0..<3 {
            let detections = places.shuffled(using: &random).map {
                DetectedObject(frame: PixelRect(x: $0.x, y: $0.y, width: 40, height: 40), confidence: 0.9)
            }
            let found = tracker.update(detections, at: .milliseconds(40 * index))
            #expect(found.count == 10_000)
        }
        #expect(tracker.objects.compactMap(\.id).sorted() == Array(1...10_000))
    }

    @Test func `A pile of equal boxes keeps every promise`() {
        let pile = [DetectedObject](repeating: Self.good, count: 300)
        checkTracker(frames: (0..<3).map { (time: .milliseconds(40 * $0), detections: pile) })
    }

    @Test func `A day of passers-by leaves no more in memory than a minute`() {
        var tracker = ObjectTracker()
        var most = 0
        for index in 0..<20_000 {
            let x = Double(index % 40) * 30
            _ = tracker.update(
                [DetectedObject(frame: PixelRect(x: x, y: 0, width: 60, height: 120), confidence: 0.9)],
                at: .milliseconds(40 * index)
            )
            most = max(most, tracker.objects.count)
        }
        #expect(most <= 3)
    }
}

import Sightline
import SightlineTestSupport
import Testing

/// Objects keep their identity from frame to frame.
@Suite(.hangLimit) struct ObjectTrackerTests {
    private static let box = PixelRect(x: 100, y: 100, width: 40, height: 80)

    private func detection(x: Double = 100, y: Double = 100, confidence: Float = 0.9, classIndex: Int? = nil)
        -> DetectedObject
    {
        DetectedObject(
            frame: PixelRect(x: x, y: y, width: 40, height: 80),
            confidence: confidence,
            classIndex: classIndex
        )
    }

    /// The moment of a frame at 25 frames a second.
    private func frame(_ index: Int) -> Duration { .milliseconds(40 * index) }

    /// A tracker that has seen one object stand at (100, 100) in frames 0 to 9, as identity 1.
    private func settled(_ options: ObjectTrackerOptions = ObjectTrackerOptions()) -> ObjectTracker {
        var tracker = ObjectTracker(options: options)
        for index in 0..<10 { _ = tracker.update([detection()], at: frame(index)) }
        return tracker
    }

    @Test(arguments: 1...12) func `Generated scenes keep every promise of a tracker`(seed: UInt64) {
        let scene = GeneratedScene(seed: seed, objects: Int(seed) * 4, frames: 60)
        checkTracker(frames: scene.frames.map { ($0.time, $0.detections) })
    }

    @Test(arguments: 1...6) func `The same calls give the same results`(seed: UInt64) {
        let frames = GeneratedScene(seed: seed, objects: 20, frames: 40).frames.map { ($0.time, $0.detections) }
        #expect(checkTracker(frames: frames) == checkTracker(frames: frames))
    }

    @Test(arguments: 1...6) func `The order of the detections does not matter`(seed: UInt64) {
        let scene = GeneratedScene(seed: seed, objects: 25, frames: 50)
        var random = RepeatableRandom(seed: seed &+ 100)
        var straight = ObjectTracker()
        var shuffled = ObjectTracker()
        for frame in scene.frames {
            let order = frame.detections.indices.shuffled(using: &random)
            let expected = straight.update(frame.detections, at: frame.time)
            let found = shuffled.update(order.map { frame.detections[$0] }, at: frame.time)
            let ids = Dictionary(
                uniqueKeysWithValues: found.compactMap { object in
                    object.track?.detectionIndex.map { (order[$0], object.id) }
                }
            )
            #expect(
                ids
                    == Dictionary(
                        uniqueKeysWithValues: expected.compactMap { object in
                            object.track?.detectionIndex.map { ($0, object.id) }
                        }
                    )
            )
        }
    }

    @Test func `Objects of a generated scene mostly keep one identity each`() {
        let scene = GeneratedScene(seed: 7, objects: 40, frames: 100)
        let results = checkTracker(frames: scene.frames.map { ($0.time, $0.detections) })
        var identities: [Int: Set<Int>] = [:]
        for (frame, found) in zip(scene.frames, results) {
            for object in found {
                if let id = object.id, let index = object.track?.detectionIndex, let actual = frame.objects[index] {
                    identities[actual, default: []].insert(id)
                }
            }
        }
        #expect(identities.count == 40)
        #expect(identities.values.filter { $0.count == 1 }.count >= 38)
    }

    @Test func `An identity is given after as many frames as asked for`() {
        for hits in 1...4 {
            var tracker = ObjectTracker(options: ObjectTrackerOptions(confirmationHits: hits))
            for index in 0..<5 {
                let object = tracker.update([detection()], at: frame(index)).first
                #expect(object?.id == (index + 1 >= hits ? 1 : nil))
                #expect(object?.track?.state == (index + 1 >= hits ? .confirmed(id: 1) : .tentative))
            }
        }
    }

    @Test func `A tentative object vanishes with its first miss`() {
        var tracker = ObjectTracker()
        _ = tracker.update([detection()], at: frame(0))
        #expect(tracker.objects.map(\.track?.state) == [.tentative])
        _ = tracker.update([], at: frame(1))
        #expect(tracker.objects.isEmpty)
    }

    @Test func `A lost object has its identity back in the frame in which it returns`() {
        var tracker = settled()
        for index in 10..<30 {
            let found = tracker.update([], at: frame(index))
            #expect(found.isEmpty)
            #expect(tracker.objects.map(\.track?.state) == [.lost(id: 1)])
        }
        let object = tracker.update([detection()], at: frame(30)).first
        #expect(object?.id == 1)
        #expect(object?.track?.state == .confirmed(id: 1))
        #expect(object?.track?.firstSeen == .zero)
    }

    @Test func `A lost object is forgotten after the memory has passed`() {
        var tracker = settled(ObjectTrackerOptions(memory: .seconds(1)))
        for index in 10...34 { _ = tracker.update([], at: frame(index)) }
        #expect(tracker.objects.map(\.id) == [1])
        _ = tracker.update([], at: frame(35))
        #expect(tracker.objects.isEmpty)
        for index in 36..<40 { _ = tracker.update([detection()], at: frame(index)) }
        #expect(tracker.objects.map(\.id) == [2])
    }

    @Test func `A moving object is found where its motion takes it while it is hidden`() {
        var tracker = ObjectTracker()
        for index in 0..<20 { _ = tracker.update([detection(x: Double(10 * index))], at: frame(index)) }
        for index in 20..<30 { _ = tracker.update([], at: frame(index)) }
        let found = tracker.update([detection(x: 300)], at: frame(30))
        #expect(found.first?.id == 1)
    }

    @Test func `A detection below the high threshold keeps an object and begins none`() {
        var tracker = settled()
        let objects = tracker.update([detection(confidence: 0.3), detection(x: 500, confidence: 0.3)], at: frame(10))
        #expect(objects.map(\.id) == [1])
        #expect(objects.map(\.confidence) == [0.3])
    }

    @Test(arguments: [true, false]) func `A weak box that fits badly keeps an object, if no other touches it`(
        isApart: Bool
    ) {
        var tracker = ObjectTracker()
        let other = detection(x: isApart ? 300 : 130)
        for index in 0..<10 { _ = tracker.update([detection(), other], at: frame(index)) }
        let objects = tracker.update([detection(x: 82, confidence: 0.3), other], at: frame(10))
        #expect(objects.map(\.id) == (isApart ? [1, 2] : [2]))
    }

    @Test func `A detection below the low threshold is ignored`() {
        var tracker = settled()
        let found = tracker.update([detection(confidence: 0.05)], at: frame(10))
        #expect(found.isEmpty)
    }

    @Test func `Detections of confidence 0 are followed if the thresholds admit them`() {
        var tracker = ObjectTracker(options: ObjectTrackerOptions(highThreshold: 0, lowThreshold: 0))
        for index in 0..<10 { _ = tracker.update([detection(confidence: 0)], at: frame(index)) }
        #expect(tracker.objects.map(\.id) == [1])
    }

    @Test func `A class-aware tracker never changes the class of an object`() {
        for isClassAware in [true, false] {
            var tracker = ObjectTracker(options: ObjectTrackerOptions(isClassAware: isClassAware))
            for index in 0..<5 { _ = tracker.update([detection(classIndex: 3)], at: frame(index)) }
            for index in 5..<10 { _ = tracker.update([detection(classIndex: 4)], at: frame(index)) }
            #expect(tracker.objects.contains { $0.id == 1 && $0.classIndex == 4 } == !isClassAware)
        }
    }

    @Test func `A doubtful second box of an object gets no identity`() {
        var tracker = ObjectTracker()
        for index in 0..<20 {
            let objects = tracker.update([detection(), detection(x: 112, confidence: 0.62)], at: frame(index))
            #expect(objects.map(\.track?.detectionIndex) == [0])
        }
    }

    @Test func `A sure second box on an object in view begins an object only once it has moved aside`() {
        var tracker = settled()
        for index in 10..<20 {
            let objects = tracker.update([detection(), detection(x: 112)], at: frame(index))
            #expect(objects.map(\.id) == [1])
        }
        _ = tracker.update([detection(), detection(x: 124)], at: frame(20))
        let objects = tracker.update([detection(), detection(x: 126)], at: frame(21))
        #expect(objects.map(\.id) == [1, 2])
    }

    @Test func `A second box of another class on an object in view begins an object`() {
        for isClassAware in [true, false] {
            var tracker = ObjectTracker(options: ObjectTrackerOptions(isClassAware: isClassAware))
            for index in 0..<20 {
                let rider = index < 10 ? [] : [detection(x: 102, y: 104, classIndex: 1)]
                _ = tracker.update([detection(classIndex: 0)] + rider, at: frame(index))
            }
            #expect(tracker.objects.map(\.id) == (isClassAware ? [1, 2] : [1]))
        }
    }

    @Test(arguments: [true, false]) func `Of two objects that fit a detection equally, the surer keeps it`(isNew: Bool)
    {
        // The second object is a newcomer, or was seen as long with less confidence. It is a little nearer.
        var tracker = ObjectTracker()
        for index in 0..<20 {
            let second = detection(x: 141, confidence: isNew ? 0.9 : 0.65)
            _ = tracker.update(isNew && index < 18 ? [detection()] : [detection(), second], at: frame(index))
        }
        #expect(tracker.objects.map(\.id) == [1, 2])
        let found = tracker.update([detection(x: 120.6)], at: frame(20))
        #expect(found.map(\.id) == [1])
    }

    @Test func `Two sure objects close to each other are two`() {
        var tracker = ObjectTracker()
        for index in 0..<20 { _ = tracker.update([detection(), detection(x: 112)], at: frame(index)) }
        #expect(tracker.objects.compactMap(\.id) == [1, 2])
    }

    @Test func `Without a detector, objects that it saw last continue as they moved`() {
        var tracker = ObjectTracker()
        for index in 0..<20 { _ = tracker.update([detection(x: Double(5 * index))], at: frame(index)) }
        let carried = tracker.advance(to: frame(21))
        #expect(carried.map(\.id) == [1])
        #expect(carried.first?.track?.isDetected == false)
        #expect(carried.first?.track?.state == .confirmed(id: 1))
        #expect(abs((carried.first?.frame.x ?? 0) - 105) < 3)
        #expect(carried.first?.track?.lastSeen == frame(19))
        #expect(carried.first?.track?.age == frame(21))
        let found = tracker.update([detection(x: 110)], at: frame(22))
        #expect(found.first?.id == 1)
    }

    @Test func `Objects keep the labels of their last detection`() {
        var tracker = ObjectTracker()
        var named = detection()
        for name in ["cat", "dog"] {
            named.labels = [Label(text: name, index: 0, confidence: 0.5)]
            let found = tracker.update([named], at: frame(name == "cat" ? 0 : 1))
            #expect(found.map { $0.labels.map(\.text) } == [[name]])
        }
        #expect(tracker.advance(to: frame(2)).map { $0.labels.map(\.text) } == [["dog"]])
    }

    @Test func `Without a detector, lost and tentative objects are not shown`() {
        var tracker = settled()
        _ = tracker.update([detection(x: 500)], at: frame(10))
        let found = tracker.advance(to: frame(11))
        #expect(found.isEmpty)
    }

    @Test func `A reset forgets the objects and no identity`() {
        var tracker = settled()
        tracker.reset()
        #expect(tracker.objects.isEmpty)
        for index in 0..<3 { _ = tracker.update([detection()], at: frame(index)) }
        #expect(tracker.objects.map(\.id) == [2])
    }

    @Test func `Copies follow their own streams`() {
        var first = settled()
        var second = first
        _ = first.update([detection(), detection(x: 500)], at: frame(10))
        _ = second.update([], at: frame(10))
        #expect(first.objects.map(\.track?.state) == [.confirmed(id: 1), .tentative])
        #expect(second.objects.map(\.track?.state) == [.lost(id: 1)])
    }

    @Test(arguments: [1, 3]) func `Identities survive a camera that swings, by what its objects share`(every: Int) {
        var tracker = ObjectTracker()
        for index in 0..<60 {
            if !index.isMultiple(of: every) {
                _ = tracker.advance(to: frame(index))
                continue
            }
            // From frame 15 on the picture moves, faster and faster, by half of a box from detection to detection and more.
            let shift = index < 15 ? 0 : Double((index - 14) * (index - 14)) * 1.5
            let objects = (0..<8).map { detection(x: 150 * Double($0) + shift, y: 90 * Double($0 % 3)) }
            _ = tracker.update(objects, at: frame(index))
        }
        #expect(tracker.objects.compactMap(\.id).sorted() == Array(1...8))
    }

    @Test(arguments: [true, false])
    func `Objects that set off together move a hidden object only if the camera may move`(
        followsCamera: Bool
    ) {
        var tracker = ObjectTracker(options: ObjectTrackerOptions(followsCamera: followsCamera))
        let places = (0..<5).map { detection(x: 150 * Double($0)) }
        for index in 0..<10 { _ = tracker.update(places, at: frame(index)) }
        _ = tracker.update((0..<4).map { detection(x: 150 * Double($0) + 20) }, at: frame(10))
        let hidden = tracker.objects.first { $0.id == 5 }?.frame.x ?? 0
        let still = places[4].frame.x
        #expect(followsCamera ? hidden > still + 8 : abs(hidden - still) < 1, "\(hidden)")
    }

    @Test func `A known camera motion moves the objects with the picture`() {
        var tracker = settled()
        let motion = CameraMotion(translationX: 400, translationY: -50)
        let found = tracker.update([detection(x: 500, y: 50)], at: frame(10), cameraMotion: motion)
        #expect(found.first?.id == 1)
    }

    @Test func `A known zoom of the camera scales boxes and places`() {
        var tracker = settled()
        let carried = tracker.advance(
            to: frame(10),
            cameraMotion: CameraMotion(translationX: 0, translationY: 0, scale: 2)
        )
        let box = carried.first?.frame ?? Self.box
        #expect(abs(box.midX - 240) < 1 && abs(box.midY - 280) < 1)
        #expect(abs(box.width - 80) < 1 && abs(box.height - 160) < 1)
    }
}

import Sightline
import Testing

/// Objects keep place, size and identity while others cover them.
@Suite(.hangLimit) struct ObjectTrackerOcclusionTests {
    private static let person = PixelRect(x: 100, y: 100, width: 40, height: 80)
    /// The part of the person that stays visible.
    private static let cut = PixelRect(x: 100, y: 100, width: 20, height: 80)

    private func detection(_ box: PixelRect) -> DetectedObject { DetectedObject(frame: box, confidence: 0.9) }

    /// The moment of a frame at 25 frames a second.
    private func frame(_ index: Int) -> Duration { .milliseconds(40 * index) }

    /// Where the person is expected after ten whole boxes and a cut one, beside another object.
    private func expectedBox(beside other: PixelRect) -> PixelRect? {
        var tracker = ObjectTracker()
        for index in 0..<11 {
            _ = tracker.update([detection(index < 10 ? Self.person : Self.cut), detection(other)], at: frame(index))
        }
        return tracker.advance(to: frame(11)).first { $0.id == 1 }?.frame
    }

    @Test func `A box that an object in front cuts changes the expected box less than one in plain view`() throws {
        let front = try #require(expectedBox(beside: PixelRect(x: 110, y: 110, width: 40, height: 80)))
        let plain = try #require(expectedBox(beside: PixelRect(x: 500, y: 110, width: 40, height: 80)))
        #expect(front.width > plain.width + 3)
        #expect(abs(front.midX - Self.person.midX) < abs(plain.midX - Self.person.midX) - 1)
    }

    @Test func `An object farther back hides nothing`() throws {
        let back = try #require(expectedBox(beside: PixelRect(x: 110, y: 90, width: 40, height: 80)))
        let plain = try #require(expectedBox(beside: PixelRect(x: 500, y: 90, width: 40, height: 80)))
        #expect(abs(back.width - plain.width) < 0.5)
        #expect(abs(back.midX - plain.midX) < 0.5)
    }

    @Test(arguments: [0.97, 1.03]) func `An object out of sight keeps its size, however it changed before`(
        factor: Double
    ) {
        var tracker = ObjectTracker()
        var side = 200.0
        for index in 0..<20 {
            let box = PixelRect(x: 500 - side / 2, y: 500 - side / 2, width: side, height: side)
            _ = tracker.update([detection(box)], at: frame(index))
            side *= factor
        }
        var sizes: Set<Double> = []
        for index in 20..<40 {
            _ = tracker.update([], at: frame(index))
            for object in tracker.objects { sizes.insert((object.frame.width * 1000).rounded()) }
        }
        #expect(sizes.count == 1)
    }

    @Test func `Two people who cross keep their identities, though the one behind is cut and missed`() {
        var tracker = ObjectTracker()
        var last: [DetectedObject] = []
        for index in 0..<60 {
            let front = PixelRect(x: 40 + 5 * Double(index), y: 110, width: 40, height: 84)
            let back = PixelRect(x: 340 - 5 * Double(index), y: 100, width: 40, height: 80)
            var boxes = [front]
            let hidden = front.intersection(back)
            if hidden == nil {
                boxes.append(back)
            } else if let hidden, hidden.width < 30 {
                // The detector draws the visible part.
                let left = back.x < front.x ? back.x : hidden.maxX
                boxes.append(PixelRect(x: left, y: 100, width: 40 - hidden.width, height: 80))
            }
            last = tracker.update(boxes.map(detection), at: frame(index))
        }
        #expect(last.map(\.id) == [1, 2])
        #expect(tracker.objects.compactMap(\.id) == [1, 2])
    }
}

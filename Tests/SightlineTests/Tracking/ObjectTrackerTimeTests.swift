import Sightline
import SightlineTestSupport
import Testing

/// Time comes from timestamps, whatever they are.
@Suite(.hangLimit) struct ObjectTrackerTimeTests {
    private func detection(x: Double) -> DetectedObject {
        DetectedObject(frame: PixelRect(x: x, y: 50, width: 60, height: 120), confidence: 0.9)
    }

    @Test(arguments: [5.0, 10, 25, 60, 240]) func `Motion is in seconds, at every frame rate`(rate: Double) {
        var tracker = ObjectTracker()
        var seconds = 0.0
        while seconds < 2 {
            _ = tracker.update([detection(x: 120 * seconds)], at: .seconds(seconds))
            seconds += 1 / rate
        }
        // Hidden for half a second, in which it moves on for its own width.
        let found = tracker.update([], at: .seconds(2))
        #expect(found.isEmpty)
        let returned = tracker.update([detection(x: 300)], at: .seconds(2.5))
        #expect(returned.first?.id == 1)
    }

    @Test func `Memory is in seconds, at every frame rate`() {
        for rate in [5.0, 25, 100] {
            var tracker = ObjectTracker(options: ObjectTrackerOptions(memory: .seconds(1)))
            for index in 0..<10 { _ = tracker.update([detection(x: 0)], at: .seconds(Double(index) / rate)) }
            let last = 9 / rate
            _ = tracker.update([], at: .seconds(last + 0.9))
            #expect(tracker.objects.count == 1)
            _ = tracker.update([], at: .seconds(last + 1.1))
            #expect(tracker.objects.isEmpty)
        }
    }

    @Test func `Frames that are farther apart than the memory still follow each other`() {
        var tracker = ObjectTracker(options: ObjectTrackerOptions(memory: .seconds(1)))
        for index in 0..<10 { _ = tracker.update([detection(x: 2 * Double(index))], at: .seconds(10 * index)) }
        #expect(tracker.objects.map(\.id) == [1])
    }

    @Test func `A lost object is not found again beyond a gap that is longer than the memory`() {
        var tracker = ObjectTracker(options: ObjectTrackerOptions(memory: .seconds(1)))
        for index in 0..<5 { _ = tracker.update([detection(x: 0)], at: .milliseconds(40 * index)) }
        _ = tracker.update([], at: .milliseconds(200))
        _ = tracker.update([detection(x: 0)], at: .seconds(60))
        _ = tracker.update([detection(x: 0)], at: .seconds(60.04))
        #expect(tracker.objects.map(\.id) == [2])
    }

    @Test func `A time that goes back counts as none, and the stream continues from there`() {
        var tracker = ObjectTracker(options: ObjectTrackerOptions(memory: .seconds(1)))
        for index in 0..<10 { _ = tracker.update([detection(x: 0)], at: .seconds(100) + .milliseconds(40 * index)) }
        let found = tracker.update([detection(x: 1)], at: .zero)
        #expect(found.map(\.id) == [1])
        _ = tracker.update([], at: .milliseconds(500))
        let returned = tracker.update([detection(x: 1)], at: .milliseconds(900))
        #expect(returned.map(\.id) == [1])
        _ = tracker.update([], at: .milliseconds(1000))
        _ = tracker.update([], at: .milliseconds(2000))
        #expect(tracker.objects.isEmpty)
    }

    @Test func `A time that stands still does no harm`() {
        var tracker = ObjectTracker()
        for index in 0..<20 { _ = tracker.update([detection(x: Double(index))], at: .zero) }
        #expect(tracker.objects.map(\.id) == [1])
        let found = tracker.advance(to: .zero)
        #expect(found.map(\.id) == [1])
    }

    @Test func `Extreme times do no harm`() {
        let extremes: [Duration] = [
            .seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(1), .seconds(Int64.max) + .seconds(Int64.max),
            .zero - .seconds(Int64.max) - .seconds(Int64.max), .seconds(1e15),
        ]
        let frames = extremes.flatMap { [$0, $0, $0] }.map { (time: $0, detections: [detection(x: 10)]) }
        checkTracker(frames: frames)
    }

    @Test func `Extreme memories do no harm`() {
        for memory in [Duration.zero, .seconds(-5), .seconds(Int64.max), .seconds(Int64.min)] {
            var tracker = ObjectTracker(options: ObjectTrackerOptions(memory: memory))
            for index in 0..<5 { _ = tracker.update([detection(x: 0)], at: .milliseconds(40 * index)) }
            _ = tracker.update([], at: .milliseconds(200))
            #expect(tracker.objects.isEmpty == (memory <= .zero))
        }
    }
}

import Testing

@testable import Sightline

/// Looks decide where places leave a doubt.
@Suite(.hangLimit) struct ObjectTrackerAppearanceTests {
    private func looks(_ color: [Float]) throws -> Appearance {
        try #require(Appearance(pixels: Array(repeating: color, count: 128).flatMap { $0 }))
    }

    private func detection(x: Double) -> DetectedObject {
        DetectedObject(frame: PixelRect(x: x, y: 100, width: 40, height: 80), confidence: 0.9)
    }

    /// The identities, by place, after two people stood side by side and changed places between two frames.
    private func identitiesAfterExchange(_ looks: [Appearance]) -> [Int?] {
        var tracker = ObjectTracker()
        var last: [DetectedObject] = []
        for index in 0..<12 {
            let isExchanged = index >= 10
            last = tracker.update(
                [detection(x: 100), detection(x: 118)],
                at: .milliseconds(100 * index),
                cameraMotion: .none,
                appearances: isExchanged ? looks.reversed() : looks
            )
        }
        return last.map(\.id)
    }

    @Test func `People who change places between two frames keep their identities if their colors differ`() throws {
        let different = try identitiesAfterExchange([looks([200, 30, 30]), looks([30, 30, 200])])
        #expect(different == [2, 1])
    }

    @Test func `People who look alike are told apart by place`() throws {
        let same = try identitiesAfterExchange([looks([60, 60, 60]), looks([62, 60, 60])])
        #expect(same == [1, 2])
    }

    @Test func `An object alone keeps its identity when its looks change`() throws {
        var tracker = ObjectTracker()
        var ids: Set<Int?> = []
        for index in 0..<20 {
            let color: [Float] = index < 10 ? [200, 30, 30] : [30, 30, 200]
            let found = tracker.update(
                [detection(x: 100 + Double(index))],
                at: .milliseconds(100 * index),
                cameraMotion: .none,
                appearances: [try looks(color)]
            )
            if index > 1 { ids.formUnion(found.map(\.id)) }
        }
        #expect(ids == [1])
    }

    @Test func `Fewer looks than detections, and detections without looks, are followed by place`() throws {
        var tracker = ObjectTracker()
        var last: [DetectedObject] = []
        for index in 0..<10 {
            last = tracker.update(
                [detection(x: 100), detection(x: 300), detection(x: 500)],
                at: .milliseconds(100 * index),
                cameraMotion: .none,
                appearances: index % 2 == 0 ? [try looks([200, 30, 30]), nil] : []
            )
        }
        #expect(last.map(\.id) == [1, 2, 3])
    }
}

import Sightline
import SightlineTestSupport
import Testing

/// An object of 20 × 40 pixels that stands on a point.
private func object(
    _ id: Int,
    standsAt x: Double,
    _ y: Double,
    label: String? = "person",
    isDetected: Bool = true
) -> DetectedObject {
    DetectedObject(
        frame: PixelRect(x: x - 10, y: y - 40, width: 20, height: 40),
        confidence: 0.9,
        labels: label.map { [Label(text: $0, index: 0, confidence: 0.9)] } ?? [],
        track: Track(state: .confirmed(id: id), firstSeen: .zero, lastSeen: .zero, isDetected: isDetected)
    )
}

extension LineZone {
    @discardableResult
    fileprivate mutating func update(_ milliseconds: Int, _ objects: [DetectedObject]) -> [LineEvent] {
        update(with: objects, at: .milliseconds(milliseconds))
    }
}

extension PolygonZone {
    @discardableResult
    fileprivate mutating func update(_ milliseconds: Int, _ objects: [DetectedObject]) -> [ZoneEvent] {
        update(with: objects, at: .milliseconds(milliseconds))
    }
}

extension BoxSmoother {
    fileprivate mutating func smooth(_ milliseconds: Int, _ objects: [DetectedObject]) -> [DetectedObject] {
        smooth(objects, at: .milliseconds(milliseconds))
    }
}

/// Lines count the objects that cross them.
@Suite(.hangLimit) struct LineZoneTests {
    private func gate(_ anchor: BoxAnchor = .bottomCenter) -> LineZone {
        LineZone(from: PixelPoint(x: 100, y: 500), to: PixelPoint(x: 300, y: 500), anchor: anchor)
    }

    @Test func `Crossings count by direction and label`() {
        var zone = gate()
        zone.update(0, [object(1, standsAt: 200, 480), object(2, standsAt: 150, 520, label: "dog")])
        let beyond = [object(1, standsAt: 200, 520), object(2, standsAt: 150, 480, label: "dog")]
        #expect(zone.update(40, beyond).isEmpty)
        let crossings = zone.update(80, beyond)
        #expect(crossings.map(\.id) == [1, 2])
        #expect(crossings.allSatisfy { $0.time == .milliseconds(40) })
        #expect(crossings.map(\.direction) == [.inward, .outward])
        #expect(zone.counts["person"] == LineZone.Count(inward: 1, outward: 0))
        #expect(zone.counts["dog"] == LineZone.Count(inward: 0, outward: 1))
        #expect(zone.totalIn == 1 && zone.totalOut == 1)
    }

    @Test func `An object that goes back and forth counts once in each direction`() {
        var zone = gate()
        for index in 0..<20 {
            zone.update(40 * index, [object(1, standsAt: 200, index / 2 % 2 == 0 ? 490 : 510)])
        }
        #expect(zone.totalIn == 1 && zone.totalOut == 1)
    }

    @Test func `An object that goes back and forth has an event each time, and all but the first are repeated`() {
        var zone = gate()
        var events: [LineEvent] = []
        for index in 0..<60 {
            events += zone.update(40 * index, [object(1, standsAt: 200, index / 10 % 2 == 0 ? 490 : 510)])
        }
        #expect(events.map(\.direction) == [.inward, .outward, .inward, .outward, .inward])
        #expect(events.map(\.isRepeated) == [false, false, true, true, true])
    }

    @Test func `A box that trembles on the line does not cross it`() {
        var zone = gate()
        var random = RepeatableRandom(seed: 1)
        for index in 0..<1000 {
            zone.update(40 * index, [object(1, standsAt: 200, 500 + Double.random(in: -1.3...1.3, using: &random))])
        }
        #expect(zone.totalIn == 0 && zone.totalOut == 0)
    }

    /// Shares of the box's size, and shakes around a place beside the line.
    @Test(arguments: [0.05, 0.11, 0.2, 0.3], [0, 0.3]) func `A box that shakes on the line hardly ever crosses it`(
        share: Double,
        offset: Double
    ) {
        let extent = share * 28.3
        var crossings = 0
        for seed in 0..<100 as Range<UInt64> {
            var (zone, random) = (gate(), RepeatableRandom(seed: seed))
            for index in 0..<200 {
                let y = 500 + extent * (offset + Double.random(in: -1...1, using: &random))
                zone.update(40 * index, [object(1, standsAt: 200, y)])
            }
            crossings += zone.totalIn + zone.totalOut
        }
        // A box that only moves one way at first looks like one that passes.
        #expect(crossings <= 20)
    }

    /// Shares of the box's size in each frame.
    @Test(arguments: [0.02, 0.05, 0.3, 0.7], [0, 0.05])
    func `An object that passes counts once, although its box shakes`(
        speed: Double,
        shake: Double
    ) {
        var random = RepeatableRandom(seed: 5)
        for _ in 0..<50 {
            var zone = gate()
            var y = 500 - 28.3 * Double.random(in: 1...2, using: &random)
            for index in 0..<400 where y < 560 {
                y += speed * 28.3
                let seen = y + 28.3 * shake * Double.random(in: -1...1, using: &random)
                zone.update(40 * index, [object(1, standsAt: 200, seen)])
            }
            #expect(zone.totalIn == 1 && zone.totalOut == 0)
        }
    }

    @Test func `A crossing before the track was confirmed counts`() {
        var zone = gate()
        zone.update(0, [])
        var seen = object(1, standsAt: 200, 530)
        seen.track?.firstSeen = .milliseconds(40)
        seen.track?.firstFrame = object(1, standsAt: 200, 470).frame
        zone.update(80, [seen])
        zone.update(120, [seen])
        #expect(zone.totalIn == 1)
    }

    @Test(arguments: [1, 3, 7]) func `A box that flickers across the line for one frame does not count`(frame: Int) {
        var zone = gate()
        for index in 0..<10 { zone.update(40 * index, [object(1, standsAt: 200, index == frame ? 510 : 490)]) }
        #expect(zone.totalIn == 0 && zone.totalOut == 0)
    }

    @Test func `With a confirmation time, an object counts when it has been beyond the line for that long`() {
        var zone = LineZone(
            from: PixelPoint(x: 100, y: 500),
            to: PixelPoint(x: 300, y: 500),
            confirmationTime: .milliseconds(200)
        )
        var events: [LineEvent] = []
        // Three frames beyond the line, two back, and then beyond for good.
        for (index, y) in [480.0, 520, 520, 520, 480, 480, 520, 520, 520, 520, 520, 520, 520].enumerated() {
            events += zone.update(50 * index, [object(1, standsAt: 200, y)])
            #expect(events.count == (index >= 10 ? 1 : 0))
        }
        #expect(events.map(\.time) == [.milliseconds(300)])
    }

    @Test func `An object that passes beside the line does not count`() {
        var zone = gate()
        zone.update(0, [object(1, standsAt: 400, 480)])
        zone.update(40, [object(1, standsAt: 400, 520)])
        for time in [80, 120] { zone.update(time, [object(1, standsAt: 200, 520)]) }
        #expect(zone.totalIn == 0 && zone.totalOut == 0)
    }

    @Test func `An object that rests on the line counts when it leaves to the other side`() {
        var zone = gate()
        for (index, y) in [480.0, 500, 500, 520, 520].enumerated() {
            zone.update(40 * index, [object(1, standsAt: 200, y)])
            #expect(zone.totalIn == (index == 4 ? 1 : 0))
        }
    }

    @Test func `Boxes that were carried on do not cross`() {
        var zone = gate()
        zone.update(0, [object(1, standsAt: 200, 480)])
        zone.update(40, [object(1, standsAt: 200, 520, isDetected: false)])
        zone.update(80, [object(1, standsAt: 200, 525)])
        #expect(zone.totalIn == 0)
        zone.update(120, [object(1, standsAt: 200, 530)])
        #expect(zone.totalIn == 1)
    }

    @Test func `The center crosses later than the feet`() {
        var zone = gate(.center)
        zone.update(0, [object(1, standsAt: 200, 480)])
        zone.update(40, [object(1, standsAt: 200, 510)])
        #expect(zone.totalIn == 0)
        for time in [80, 120] { zone.update(time, [object(1, standsAt: 200, 530)]) }
        #expect(zone.totalIn == 1)
    }

    @Test func `Objects without labels count as objects`() {
        var zone = gate()
        zone.update(0, [object(1, standsAt: 200, 480, label: nil)])
        for time in [40, 80] { zone.update(time, [object(1, standsAt: 200, 520, label: nil)]) }
        #expect(zone.counts == ["object": LineZone.Count(inward: 1, outward: 0)])
    }

    @Test func `Odd lines and boxes count nothing`() {
        for end in [PixelPoint(x: 100, y: 500), PixelPoint(x: .nan, y: 500), PixelPoint(x: .infinity, y: .nan)] {
            var zone = LineZone(from: PixelPoint(x: 100, y: 500), to: end)
            zone.update(0, [object(1, standsAt: 200, 480), object(2, standsAt: .nan, 480)])
            zone.update(40, [object(1, standsAt: 200, 520), object(2, standsAt: .nan, .infinity)])
            #expect(zone.totalIn == 0 && zone.totalOut == 0)
        }
    }

    @Test func `An object counts once until its identity has ended, however long it is out of sight`() {
        var zone = gate()
        func cross(_ time: Int) {
            for (index, y) in [480.0, 520, 520, 480, 480].enumerated() {
                zone.update(time + 40 * index, [object(1, standsAt: 200, y)])
            }
        }
        cross(0)
        cross(3_600_000)
        #expect(zone.totalIn == 1 && zone.totalOut == 1)
        zone.update(with: [], at: .seconds(4000), ended: [1])
        cross(5_000_000)
        #expect(zone.totalIn == 2 && zone.totalOut == 2)
    }
}

/// Polygons know which objects are inside.
@Suite(.hangLimit) struct PolygonZoneTests {
    private static let square = [
        PixelPoint(x: 100, y: 100), PixelPoint(x: 200, y: 100), PixelPoint(x: 200, y: 200), PixelPoint(x: 100, y: 200),
    ]

    @Test func `Occupants, entries and dwell times follow the objects that go in and out`() {
        var zone = PolygonZone(Self.square)
        zone.update(0, [object(1, standsAt: 50, 150)])
        #expect(zone.occupants.isEmpty)
        for time in stride(from: 40, through: 400, by: 40) {
            let events = zone.update(time, [object(1, standsAt: 150, 150)])
            #expect(events.map(\.kind) == (time == 80 ? [.entered] : []))
        }
        #expect(zone.occupants.map(\.id) == [1])
        #expect(zone.occupants.first?.dwell == .milliseconds(360))
        #expect(zone.update(440, [object(1, standsAt: 250, 150)]).isEmpty)
        let events = zone.update(480, [object(1, standsAt: 250, 150)])
        #expect(events.map(\.kind) == [.left] && events.map(\.dwell) == [.milliseconds(360)])
        #expect(zone.occupants.isEmpty)
        #expect(zone.entered == ["person": 1] && zone.beganInside.isEmpty && zone.totalLeft == 1)
    }

    @Test(arguments: [1, 15, 20]) func `An object that comes and goes again counts once each way`(frames: Int) {
        var zone = PolygonZone(Self.square)
        for index in 0..<60 {
            zone.update(40 * index, [object(1, standsAt: index / frames % 2 == 0 ? 95 : 105, 150)])
        }
        let times = frames == 1 ? 0 : 1
        #expect(zone.totalEntered == times && zone.totalLeft == times && zone.totalBeganInside == 0)
    }

    @Test func `A stay begins where the object was seen first, before its track was confirmed`() {
        var zone = PolygonZone(Self.square)
        zone.update(0, [])
        var seen = object(1, standsAt: 150, 150)
        seen.track?.firstSeen = .seconds(1)
        seen.track?.firstFrame = seen.frame
        let events = zone.update(2000, [seen]) + zone.update(3000, [seen])
        #expect(events.map(\.kind) == [.beganInside] && events.first?.time == .seconds(1))
        #expect(zone.occupants.first?.dwell == .seconds(2))
    }

    @Test func `A zone that begins during a stream knows nothing of the time before`() {
        var zone = PolygonZone(Self.square)
        var seen = object(1, standsAt: 150, 150)
        seen.track?.firstSeen = .seconds(1)
        seen.track?.firstFrame = seen.frame
        zone.update(5000, [seen])
        zone.update(6000, [seen])
        #expect(zone.occupants.first?.dwell == .seconds(1))
    }

    @Test func `A stay begins with the first frame inside, even near the edge`() {
        var zone = PolygonZone(Self.square)
        for (index, x) in [50.0, 101, 150, 150].enumerated() {
            zone.update(1000 * index, [object(1, standsAt: x, 150)])
        }
        #expect(zone.occupants.first?.entered == .seconds(1))
    }

    @Test(arguments: [0.11, 0.2, 0.3]) func `A box that shakes on the edge hardly ever enters or leaves`(share: Double)
    {
        var moves = 0
        for seed in 0..<50 as Range<UInt64> {
            var (zone, random) = (PolygonZone(Self.square), RepeatableRandom(seed: seed))
            for index in 0..<200 {
                let x = 100 + share * 28.3 * Double.random(in: -1...1, using: &random)
                zone.update(40 * index, [object(1, standsAt: x, 150)])
            }
            moves += zone.totalEntered + zone.totalLeft
        }
        #expect(moves <= 10)
    }

    @Test func `With a confirmation time, an object comes and goes when it has been beyond the edge for that long`() {
        var zone = PolygonZone(Self.square, confirmationTime: .milliseconds(200))
        var events: [ZoneEvent] = []
        // Inside for 150 ms, outside for 100 ms, inside for 400 ms, outside for 100 ms, inside again, and outside for good.
        let places =
            [50.0] + Array(repeating: 150, count: 4) + [50, 50] + Array(repeating: 150, count: 9) + [250, 250]
        for (index, x) in (places + Array(repeating: 150, count: 3) + Array(repeating: 250, count: 6)).enumerated() {
            events += zone.update(50 * index, [object(1, standsAt: x, 150)])
        }
        #expect(events.map(\.kind) == [.entered, .left])
        #expect(events.map(\.time) == [.milliseconds(350), .milliseconds(1050)])
        #expect(zone.totalEntered == 1 && zone.totalLeft == 1 && zone.totalLastInside == 0)
    }

    @Test func `An object that is inside when it is first seen leaves without having entered`() {
        var zone = PolygonZone(Self.square)
        for (index, x) in [150.0, 150, 250, 260].enumerated() { zone.update(40 * index, [object(1, standsAt: x, 150)]) }
        #expect(zone.beganInside == ["person": 1] && zone.totalEntered == 0 && zone.totalLeft == 1)
        #expect(zone.totalVisitors == 1 && zone.totalLastInside == 0)
    }

    @Test(arguments: [[50.0, 250, 300], [50, 150, 250, 300], [80, 210, 340, 470]])
    func `An object that jumps over the zone enters and leaves`(places: [Double]) {
        var zone = PolygonZone(Self.square)
        for (index, x) in places.enumerated() { zone.update(40 * index, [object(1, standsAt: x, 150)]) }
        #expect(zone.totalEntered == 1 && zone.totalLeft == 1 && zone.occupants.isEmpty)
    }

    @Test(arguments: [150.0, 250, 400]) func `A box that flickers over the edge for one frame does not count`(x: Double)
    {
        var zone = PolygonZone(Self.square)
        for index in 0..<9 { zone.update(40 * index, [object(1, standsAt: index == 4 ? x : 50, 150)]) }
        #expect(zone.totalVisitors == 0 && zone.totalEntered == 0 && zone.totalLeft == 0)
    }

    @Test func `A way along an edge or past a corner does not lead through the zone`() {
        var zone = PolygonZone(Self.square)
        for (index, place) in [(50.0, 99.0), (250, 99), (260, 99), (260, 150), (250, 250), (150, 260), (50, 205)]
            .enumerated()
        {
            zone.update(40 * index, [object(1, standsAt: place.0, place.1)])
        }
        #expect(zone.totalVisitors == 0)
    }

    @Test func `A hidden occupant stays for as long as the zone is patient`() {
        var zone = PolygonZone(Self.square, gracePeriod: .milliseconds(500))
        zone.update(0, [object(1, standsAt: 150, 150)])
        zone.update(500, [])
        #expect(zone.occupants.map(\.id) == [1])
        let events = zone.update(540, [])
        #expect(events.map(\.kind) == [.endedInside] && events.map(\.id) == [1])
        #expect(zone.occupants.isEmpty)
    }

    @Test func `A hidden occupant stays inside until its identity has ended`() {
        var zone = PolygonZone(Self.square)
        zone.update(0, [object(1, standsAt: 150, 150)])
        zone.update(60_000, [])
        #expect(zone.occupants.map(\.id) == [1])
        let events = zone.update(with: [], at: .seconds(61), ended: [1])
        #expect(events.map(\.kind) == [.endedInside] && events.map(\.time) == [.zero])
        #expect(zone.occupants.isEmpty)
    }

    @Test func `A stay of the limit has one event`() {
        var zone = PolygonZone(Self.square, dwellLimit: .seconds(1))
        var events: [ZoneEvent] = []
        for index in 0..<100 { events += zone.update(40 * index, [object(1, standsAt: 150, 150)]) }
        #expect(events.map(\.kind) == [.beganInside, .dwellPassed])
        #expect(events.last?.time == .seconds(1) && events.last?.dwell == .seconds(1))
    }

    @Test func `A box that trembles on the edge neither enters nor leaves`() {
        var zone = PolygonZone(Self.square)
        var random = RepeatableRandom(seed: 1)
        for index in 0..<1000 {
            zone.update(40 * index, [object(1, standsAt: 100 + Double.random(in: -1.3...1.3, using: &random), 150)])
        }
        #expect(zone.totalEntered == 0 && zone.totalLeft == 0)
    }

    @Test(arguments: 0..<50) func `The objects inside follow from the events`(seed: UInt64) {
        var random = RepeatableRandom(seed: seed)
        var zone = PolygonZone(Self.square, gracePeriod: seed % 2 == 0 ? .milliseconds(200) : nil)
        var inside = 0
        for index in 0..<300 {
            let seen = (1...4).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
                .map { object($0, standsAt: [50.0, 99, 150, 250].randomElement(using: &random) ?? 0, 150) }
            let ended = Int.random(in: 0..<20, using: &random) == 0 ? [1] : []
            for event in zone.update(with: ended.isEmpty ? seen : [], at: .milliseconds(40 * index), ended: ended) {
                switch event.kind {
                case .entered, .beganInside: inside += 1
                case .left, .endedInside: inside -= 1
                case .dwellPassed: break
                }
            }
            #expect(zone.occupants.count == inside)
        }
        #expect(zone.finish().count == inside)
    }

    @Test func `The notch of a polygon is outside`() {
        let notched = PolygonZone([
            PixelPoint(x: 0, y: 0), PixelPoint(x: 100, y: 0), PixelPoint(x: 100, y: 100), PixelPoint(x: 50, y: 20),
            PixelPoint(x: 0, y: 100),
        ])
        #expect(notched.contains(PixelPoint(x: 10, y: 50)))
        #expect(notched.contains(PixelPoint(x: 50, y: 10)))
        #expect(!notched.contains(PixelPoint(x: 50, y: 60)))
        #expect(!notched.contains(PixelPoint(x: .nan, y: 50)))
    }

    @Test(arguments: [0, 1, 2]) func `Fewer than three corners hold nothing`(count: Int) {
        #expect(!PolygonZone(Array(Self.square.prefix(count))).contains(PixelPoint(x: 100, y: 100)))
    }

    @Test func `In a single picture, objects without an identity are inside as well`() {
        let zone = PolygonZone(Self.square, anchor: .center)
        let still = DetectedObject(frame: PixelRect(x: 140, y: 140, width: 20, height: 20), confidence: 0.9)
        #expect(zone.contains(still))
        #expect(!zone.contains(object(1, standsAt: 400, 400)))
    }

    @Test func `Times that jump do no harm`() {
        var zone = PolygonZone(Self.square)
        for time in [Duration.seconds(Int64.max), .seconds(Int64.min), .zero] {
            zone.update(with: [object(1, standsAt: 150, 150)], at: time)
        }
        #expect(zone.occupants.map(\.id) == [1])
    }
}

/// Smoothing works in seconds, not in frames.
@Suite(.hangLimit) struct BoxSmootherTests {
    @Test(arguments: [1, 5, 20]) func `A sudden move is followed by 63 % after the time constant`(steps: Int) {
        var smoother = BoxSmoother(timeConstant: .milliseconds(200))
        _ = smoother.smooth(0, [object(1, standsAt: 0, 0)])
        var x = 0.0
        for step in 1...steps {
            x = smoother.smooth(200 * step / steps, [object(1, standsAt: 100, 0)]).first?.frame.midX ?? 0
        }
        #expect(abs(x - 63.2) < 0.1)
    }

    @Test func `The first box of an object stays where it is`() {
        var smoother = BoxSmoother()
        let seen = [object(1, standsAt: 50, 60)]
        let smoothed = smoother.smooth(0, seen)
        #expect(smoothed == seen)
    }

    @Test func `Without a time constant nothing changes`() {
        var smoother = BoxSmoother(timeConstant: .zero)
        for index in 0..<3 {
            let seen = [object(1, standsAt: Double(index), 60)]
            let smoothed = smoother.smooth(40 * index, seen)
            #expect(smoothed == seen)
        }
    }

    @Test func `Objects do not smooth each other, and objects without an identity stay as they are`() {
        var smoother = BoxSmoother()
        var unnamed = object(3, standsAt: 80, 80)
        unnamed.track = nil
        _ = smoother.smooth(0, [unnamed, object(1, standsAt: 0, 0), object(2, standsAt: 500, 500)])
        unnamed.frame.x += 5
        let seen = [object(2, standsAt: 500, 500), unnamed, object(1, standsAt: 0, 0)]
        let smoothed = smoother.smooth(40, seen)
        #expect(smoothed == seen)
    }
}

/// Filters keep the objects that fit.
@Suite(.hangLimit) struct ObjectFilterTests {
    private let seen = [
        object(1, standsAt: 0, 0), object(2, standsAt: 0, 0, label: "dog"), object(3, standsAt: 0, 0, label: nil),
    ]

    @Test func `Labels choose`() {
        #expect(ObjectFilter(labels: ["dog"]).apply(to: seen).map(\.id) == [2])
        #expect(ObjectFilter(labels: []).apply(to: seen).isEmpty)
        #expect(ObjectFilter().apply(to: seen) == seen)
    }

    @Test func `Areas choose, among objects of single pictures as well`() {
        let small = [DetectedObject(frame: PixelRect(x: 0, y: 0, width: 5, height: 5), confidence: 0.9)]
        #expect(ObjectFilter(area: 800...900).apply(to: seen).count == 3)
        #expect(ObjectFilter(area: 801...900).apply(to: seen).isEmpty)
        #expect(ObjectFilter(area: 800...900).apply(to: small).isEmpty)
        #expect(ObjectFilter(area: 0...30).apply(to: small) == small)
    }
}

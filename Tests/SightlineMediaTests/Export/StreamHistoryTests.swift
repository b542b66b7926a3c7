import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// A stream of objects whose events are known: each object stays at a place for some frames, then goes or jumps to another.
///
/// The zone is x 100…200 at any height, and the line lies at x = 400. Boxes tremble, flicker to another place for one frame, are
/// missed for a while, or carried on by the tracker; labels change; objects come back after seconds with their identities.
private struct KnownStream {
    private(set) var results: [StreamResult] = []
    private(set) var (entered, beganInside, left, lastInside) = (0, 0, 0, 0)
    private(set) var (inward, outward) = (0, 0)
    private(set) var lastLabels: [Int: String] = [:]

    static let zone = PolygonZone(
        [
            PixelPoint(x: 100, y: 0), PixelPoint(x: 200, y: 0), PixelPoint(x: 200, y: 480), PixelPoint(x: 100, y: 480),
        ],
        name: "zone"
    )
    /// From top to bottom: inward is to the left.
    static let line = LineZone(from: PixelPoint(x: 400, y: 0), to: PixelPoint(x: 400, y: 480), name: "line")

    /// Before the zone, in it, between it and the line, and beyond the line.
    private static let places = [40.0, 150, 300, 500]
    private static let labels = ["person", "dog", nil]

    init(seed: UInt64) {
        var random = RepeatableRandom(seed: seed)
        var frames = [[DetectedObject]](repeating: [], count: 400)
        var ends = [[Int]](repeating: [], count: 401)
        for id in 1...Int.random(in: 1...12, using: &random) {
            var frame = Int.random(in: 0..<200, using: &random)
            let firstSeen = frame
            var visited: [Int] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<4, using: &random)
                visited.append(place)
                // Two sightings at least confirm a stay. Later frames may be missed, predicted, or wrong.
                let count = Int.random(in: 2...12, using: &random)
                var flickered = false
                for index in 0..<count where frame < 400 {
                    var kind = index < 2 || index == count - 1 ? 9 : Int.random(in: 0..<10, using: &random)
                    // Two sightings at a wrong place after each other are not a flicker.
                    if flickered, kind == 1 { kind = 9 }
                    flickered = kind == 1 || flickered && kind <= 2
                    let isFlicker = kind == 1
                    let x = Self.places[isFlicker ? Int.random(in: 0..<4, using: &random) : place]
                    if kind > 0 {
                        let label = Self.labels.randomElement(using: &random) ?? nil
                        lastLabels[id] = label ?? lastLabels[id] ?? "object"
                        frames[frame].append(
                            Self.object(
                                id,
                                x: x + Double.random(in: -4...4, using: &random),
                                y: Double.random(in: 200...210, using: &random),
                                label: label,
                                since: firstSeen,
                                at: frame,
                                isDetected: kind != 2
                            )
                        )
                    }
                    frame += 1
                }
                // Out of sight, sometimes for longer than any grace period.
                if Int.random(in: 0..<4, using: &random) == 0 { frame += Int.random(in: 1...80, using: &random) }
                if frame >= 380 { break }
            }
            ends[min(frame + 1, 400)].append(id)
            count(visited)
        }
        results = frames.enumerated().map { index, objects in
            StreamResult(
                timestamp: .milliseconds(40 * index),
                index: index,
                size: PixelSize(width: 640, height: 480),
                objects: objects,
                ended: ends[index]
            )
        }
    }

    private mutating func count(_ places: [Int]) {
        let steps = zip(places, places.dropFirst())
        if places[0] == 1 { beganInside += 1 }
        if steps.contains(where: { $0 != 1 && ($1 == 1 || ($0 == 0) != ($1 == 0)) }) { entered += 1 }
        if steps.contains(where: { $1 != 1 && ($0 == 1 || ($0 == 0) != ($1 == 0)) }) { left += 1 }
        if places.last == 1 { lastInside += 1 }
        if steps.contains(where: { $0 == 3 && $1 != 3 }) { inward += 1 }
        if steps.contains(where: { $0 != 3 && $1 == 3 }) { outward += 1 }
    }

    private static func object(
        _ id: Int,
        x: Double,
        y: Double,
        label: String?,
        since first: Int,
        at frame: Int,
        isDetected: Bool
    ) -> DetectedObject {
        DetectedObject(
            frame: PixelRect(x: x - 10, y: y - 60, width: 20, height: 60),
            confidence: 0.75,
            labels: label.map { [Label(text: $0, index: $0 == "dog" ? 1 : 0, confidence: 0.75)] } ?? [],
            track: Track(
                state: .confirmed(id: id),
                firstSeen: .milliseconds(40 * first),
                lastSeen: .milliseconds(40 * frame),
                isDetected: isDetected
            )
        )
    }
}

extension [StreamEvent] {
    /// The objects of the events `lost`.
    var lostObjects: [StreamObject] {
        compactMap { if case .object(let event) = $0, event.kind == .lost { event.object } else { nil } }
    }
}

/// The counts that a reader of events alone comes to.
private struct EventSums: Equatable {
    var (entered, beganInside, left, inside) = (0, 0, 0, 0)
    var (inward, outward) = (0, 0)
    var (appeared, lost) = (0, 0)

    mutating func add(_ event: StreamEvent) {
        switch event {
        case .line(let event) where !event.isRepeated:
            if event.direction == .inward { inward += 1 } else { outward += 1 }
        case .line: break
        case .zone(let event):
            switch event.kind {
            case .entered, .beganInside: inside += 1
            case .left, .endedInside: inside -= 1
            case .dwellPassed: break
            }
            guard !event.isRepeated else { break }
            if event.kind == .entered { entered += 1 }
            if event.kind == .beganInside { beganInside += 1 }
            if event.kind == .left { left += 1 }
        case .object(let event):
            if event.kind == .appeared { appeared += 1 }
            if event.kind == .lost { lost += 1 }
        case .state: break
        }
    }
}

/// All numbers about a stream come from one account.
@Suite(.hangLimit)
struct StreamHistoryTests {
    @Test(arguments: 0..<500) func countsWhatHappened(seed: Int) {
        let stream = KnownStream(seed: UInt64(seed))
        var history = StreamHistory(lines: [KnownStream.line], zones: [KnownStream.zone])
        var sums = EventSums()
        var counts = PeriodCounts(of: history, period: .seconds(Int64(1 + seed % 5)))
        var rows: [PeriodCounts.Row] = []
        for result in stream.results {
            let events = history.update(result)
            for event in events { sums.add(event) }
            rows += counts.add(events, until: result.timestamp)
            let zone = history.zones[0]
            #expect(zone.occupants.count == sums.inside)
            #expect(zone.totalLeft <= zone.totalEntered + zone.totalBeganInside)
            #expect(zone.occupants.count <= zone.totalLastInside)
        }
        for event in history.finish() { sums.add(event) }
        let (zone, line) = (history.zones[0], history.lines[0])
        #expect((sums.entered, sums.beganInside, sums.left) == (stream.entered, stream.beganInside, stream.left))
        #expect((sums.inward, sums.outward, sums.inside) == (stream.inward, stream.outward, 0))
        rows += counts.finish()
        let (byLine, byZone) = (rows.filter { $0.place == "line" }, rows.filter { $0.place == "zone" })
        #expect(byLine.reduce(0) { $0 + $1.entered } == stream.inward)
        #expect(byLine.reduce(0) { $0 + $1.left } == stream.outward)
        #expect(byZone.reduce(0) { $0 + $1.entered } == stream.entered)
        #expect(byZone.reduce(0) { $0 + $1.left } == stream.left)
        #expect(rows.first?.start == .zero && rows.last?.end == stream.results.last?.timestamp)
        #expect((sums.appeared, sums.lost) == (stream.lastLabels.count, stream.lastLabels.count))
        #expect(zone.totalEntered == stream.entered)
        #expect(zone.totalBeganInside == stream.beganInside)
        #expect(zone.totalLeft == stream.left)
        #expect(zone.totalLastInside == stream.lastInside)
        #expect(line.totalIn == stream.inward && line.totalOut == stream.outward)
        #expect(zone.entered.values.reduce(0, +) == stream.entered)
        #expect(history.objectCount == stream.lastLabels.count)
    }

    @Test(arguments: 0..<60) func allOutputsOfAStreamAgree(seed: Int) throws {
        let stream = KnownStream(seed: UInt64(seed))
        var history = StreamHistory(lines: [KnownStream.line], zones: [KnownStream.zone])
        let formats = [ResultFormat.table, .csv, .jsonLines, .mot, .coco]
        let texts = formats.map { _ in CollectedText() }
        var sinks = try zip(formats, texts).map { format, text in
            try format.sink(ResultSinkOptions(kind: .frames)) { text.append($0) }
        }
        for index in sinks.indices { try sinks[index].begin() }
        var gone: [StreamObject] = []
        for result in stream.results {
            let events = history.update(result)
            gone += events.lostObjects
            for index in sinks.indices { try sinks[index].append(result, events: events) }
        }
        let drawn = history.outlines.map(\.caption)
        gone += history.finish().lostObjects
        for index in sinks.indices {
            for object in gone { try sinks[index].append(object) }
            try sinks[index].finish()
        }
        let ids = Set(stream.lastLabels.keys)
        #expect(gone.map(\.id).sorted() == ids.sorted())
        #expect(Dictionary(uniqueKeysWithValues: gone.map { ($0.id, $0.label) }) == stream.lastLabels)
        #expect(history.labelCounts == Dictionary(grouping: stream.lastLabels.values) { $0 }.mapValues(\.count))
        let lines = texts.map { $0.value.split(separator: "\n") }
        func column(_ lines: some Sequence<Substring>, _ index: Int) -> Set<Int> {
            Set(lines.compactMap { Int($0.split(separator: ",", omittingEmptySubsequences: false)[index]) })
        }
        let rows = lines[0].dropFirst().compactMap { Int($0.split(separator: " ")[0]) }
        #expect(rows.sorted() == ids.sorted(), "the table has a row for each object")
        #expect(column(lines[1].dropFirst(), 2) == ids)
        #expect(Set(lines[2].flatMap { $0.matches(of: /"id":([0-9]+),"frame"/).compactMap { Int($0.1) } }) == ids)
        #expect(column(lines[3], 1) == ids)
        #expect(Set(lines[4].flatMap { $0.matches(of: /"track_id":([0-9]+)/).compactMap { Int($0.1) } }) == ids)
        #expect(drawn[0] == "\(stream.inward) in, \(stream.outward) out")
        let began = stream.beganInside > 0 ? "\(stream.beganInside) began inside, " : ""
        #expect(drawn[1].hasSuffix(" inside, \(stream.entered) entered, \(began)\(stream.left) left"))
    }
}

import Sightline
import Testing

/// Counts by period follow from the events of a stream.
@Suite(.hangLimit) struct PeriodCountsTests {
    private static let history = StreamHistory(
        lines: [LineZone(from: PixelPoint(x: 0, y: 300), to: PixelPoint(x: 1, y: 300), name: "gate")],
        zones: [
            PolygonZone(
                [
                    PixelPoint(x: 100, y: 0), PixelPoint(x: 200, y: 0), PixelPoint(x: 200, y: 99),
                    PixelPoint(x: 100, y: 99),
                ],
                name: "yard"
            )
        ]
    )

    /// A frame with a person at each of the given places.
    private static func frame(at seconds: Double, _ places: [Int: Double]) -> StreamResult {
        let objects = places.sorted { $0.key < $1.key }.map { id, x in
            DetectedObject(
                frame: PixelRect(x: x - 5, y: 40, width: 10, height: 10),
                confidence: 0.9,
                labels: [Label(text: "person", index: 0, confidence: 0.9)],
                track: Track(state: .confirmed(id: id), firstSeen: .zero, lastSeen: .zero, isDetected: true)
            )
        }
        return StreamResult(
            timestamp: .seconds(seconds),
            index: 0,
            size: PixelSize(width: 640, height: 480),
            objects: objects
        )
    }

    @Test func anObjectIsInsideForItsShareOfEachPeriod() {
        var history = Self.history
        var counts = PeriodCounts(of: history, period: .seconds(10))
        var rows: [PeriodCounts.Row] = []
        // The zone is x 100…200. The first person enters after 5 s and leaves after 18 s; the second is inside from 15 s on.
        for (time, places) in [
            (0, [1: 50]), (5, [1: 150]), (6, [1: 150]), (15, [1: 150, 2: 120]), (18, [1: 250, 2: 120]),
            (19, [1: 250, 2: 120]), (25, [2: 120]),
        ] as [(Double, [Int: Double])] {
            rows += counts.add(history.update(Self.frame(at: time, places)), until: .seconds(time))
        }
        rows += counts.finish()
        let yard = rows.filter { $0.place == "yard" }
        #expect(yard.map(\.start) == [.zero, .seconds(10), .seconds(20)])
        #expect(yard.map(\.end) == [.seconds(10), .seconds(20), .seconds(25)])
        #expect(yard.map(\.meanInside) == [0.5, 1.3, 1])
        #expect(yard.map(\.entered) == [1, 0, 0] && yard.map(\.left) == [0, 1, 0])
        #expect(rows.filter { $0.place == "gate" }.allSatisfy { $0.meanInside == nil && $0.label.isEmpty })
    }

    @Test func aPeriodWithoutEventsHasARowForEachPlace() {
        var counts = PeriodCounts(of: Self.history, period: .seconds(10))
        let rows = counts.add([], until: .seconds(20))
        #expect(rows.map(\.place) == ["gate", "yard", "gate", "yard"])
        #expect(rows.map(\.end) == [.seconds(10), .seconds(10), .seconds(20), .seconds(20)])
        #expect(counts.finish().isEmpty)
    }

    @Test func theCallerMayEndPeriods() {
        var counts = PeriodCounts(of: Self.history)
        #expect(counts.add([], until: .seconds(100)).isEmpty)
        #expect(counts.endPeriod(at: .seconds(70)).map(\.end) == [.seconds(70), .seconds(70)])
        #expect(counts.add([], until: .seconds(110)).isEmpty)
        #expect(counts.finish().map(\.start) == [.seconds(70), .seconds(70)])
    }

    @Test func whatHappensInTheLastFrameCounts() {
        var history = Self.history
        var counts = PeriodCounts(of: history)
        for (time, x) in [(0.0, 50.0), (1, 150)] {
            _ = counts.add(history.update(Self.frame(at: time, [1: x])), until: .seconds(time))
        }
        _ = counts.endPeriod(at: .seconds(2))
        _ = counts.add(history.update(Self.frame(at: 2, [1: 150])), until: .seconds(2))
        let yard = counts.finish().filter { $0.place == "yard" }
        #expect(yard.map(\.entered) == [1] && yard.map(\.meanInside) == [0])
    }

    @Test func aClockThatJumpsMakesFewRows() {
        var counts = PeriodCounts(of: Self.history, period: .seconds(1))
        #expect(counts.add([], until: .seconds(Int64.max / 2)).count < 30_000)
        #expect(counts.add([], until: .seconds(Int64.max / 2) + .seconds(1)).count == 2)
    }

    @Test func anObjectThatStaysOverAJumpOfTheClockIsOneObject() {
        var history = Self.history
        var counts = PeriodCounts(of: history, period: .seconds(1))
        _ = counts.add(history.update(Self.frame(at: 0, [1: 150])), until: .zero)
        _ = counts.add([], until: .seconds(1_000_000))
        let yard = counts.add([], until: .seconds(1_000_001)).filter { $0.place == "yard" }
        #expect(yard.map(\.meanInside) == [1])
    }
}

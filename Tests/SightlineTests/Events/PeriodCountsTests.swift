import Sightline
import Testing

/// Counts by period follow from the events of a stream.
@Suite(.hangLimit) struct PeriodCountsTests {
    private static let history = StreamHistory(
        lines: [LineZone(from: PixelPoint(x: 0, y: 0), to: PixelPoint(x: 1, y: 0), name: "gate")],
        zones: [PolygonZone([], name: "yard")]
    )

    private static func event(_ kind: ZoneEvent.Kind, _ id: Int, at seconds: Double) -> StreamEvent {
        .zone(
            ZoneEvent(
                zone: "yard",
                kind: kind,
                id: id,
                label: "person",
                time: .seconds(seconds),
                dwell: .zero,
                isRepeated: false
            )
        )
    }

    @Test func anObjectIsInsideForItsShareOfEachPeriod() {
        var counts = PeriodCounts(of: Self.history, period: .seconds(10))
        var rows = counts.add([Self.event(.entered, 1, at: 5)], until: .seconds(5))
        rows += counts.add([Self.event(.beganInside, 2, at: 15)], until: .seconds(15))
        rows += counts.add([Self.event(.left, 1, at: 18)], until: .seconds(18))
        rows += counts.add([], until: .seconds(25))
        rows += counts.finish()
        let yard = rows.filter { $0.place == "yard" }
        #expect(yard.map(\.start) == [.zero, .seconds(10), .seconds(20)])
        #expect(yard.map(\.end) == [.seconds(10), .seconds(20), .seconds(25)])
        #expect(yard.map(\.meanInside) == [0.5, 1.3, 1])
        #expect(yard.map(\.entered) == [1, 0, 0] && yard.map(\.left) == [0, 1, 0])
        #expect(rows.filter { $0.place == "gate" }.allSatisfy { $0.meanInside == nil && $0.label.isEmpty })
    }

    @Test func aPeriodWithoutEventsHasARowForEachPlace() {
        var counts = PeriodCounts(of: Self.history, period: .seconds(10), first: .seconds(4))
        let rows = counts.add([], until: .seconds(14))
        #expect(rows.map(\.place) == ["gate", "yard", "gate", "yard"])
        #expect(rows.map(\.end) == [.seconds(4), .seconds(4), .seconds(14), .seconds(14)])
        #expect(counts.finish().isEmpty)
    }

    @Test func aClockThatJumpsMakesFewRows() {
        var counts = PeriodCounts(of: Self.history, period: .seconds(1))
        #expect(counts.add([], until: .seconds(Int64.max / 2)).count < 30_000)
        #expect(counts.add([], until: .seconds(Int64.max / 2) + .seconds(1)).count == 2)
    }
}

import Foundation
import Sightline
import SightlineEvents
import SightlineTestSupport
import Testing

/// The form in which version 0.1.0 stores events: `Tests/Fixtures/events`.
@Suite(.hangLimit) struct StoredFormTests {
    /// An event with its kind, and its numbers where they are always the same.
    private static func summary(_ event: CameraEvent) -> String {
        let kind =
            switch event.event {
            case .line(let line): "\(line.line) \(line.direction.rawValue) \(line.isRepeated)"
            case .zone(let zone): "\(zone.zone) \(zone.kind.rawValue) \(zone.dwell) \(zone.isRepeated)"
            case .object(let object):
                "\(object.kind.rawValue) \(object.object.firstSeen) \(object.object.lastSeen == object.time) \(object.object.confidence)"
            case .state(let state): "\(state.thing) \(state.earlier ?? "") \(state.confidence)"
            }
        return "\(event.id) \(event.event.id) \(event.event.label) \(event.event.time) \(kind)"
    }

    @Test func everyEventOfAnEarlierQueueIsDelivered() async throws {
        try await withTemporaryFolder { folder in
            let queue = folder.appending(path: "queue")
            try FileManager.default.createDirectory(at: queue, withIntermediateDirectories: false)
            try FileManager.default.copyItem(
                at: TestData.fixture("events/00000001.events"),
                to: queue.appending(path: "00000001.events")
            )
            let transport = RecordingTransport()
            let outbox = try await EventOutbox(transport, folder: queue)
            #expect(await outbox.finish(within: .seconds(60)) == 0)
            let statistics = await outbox.statistics
            #expect(statistics.restored == 10 && statistics.damaged == 0)
            let events = await transport.events
            #expect(events.allSatisfy { $0.camera == "door" })
            #expect(events.map(\.date.timeIntervalSinceReferenceDate) == (1...10).map { 800_000_000.5 + Double($0) })
            #expect(
                events.map(Self.summary) == [
                    "1f0c2a-1 1 person 0.1 seconds entrance in false",
                    "1f0c2a-2 2 person 0.2 seconds entrance out true",
                    "1f0c2a-3 3 car 0.3 seconds parking entered 25.0 seconds false",
                    "1f0c2a-4 4 car 0.4 seconds parking left 25.0 seconds false",
                    "1f0c2a-5 5 car 0.5 seconds parking beganInside 25.0 seconds false",
                    "1f0c2a-6 6 car 0.6 seconds parking endedInside 25.0 seconds false",
                    "1f0c2a-7 7 car 0.7 seconds parking dwellPassed 25.0 seconds false",
                    "1f0c2a-8 8 cat 0.8 seconds appeared 0.05 seconds true 0.75",
                    "1f0c2a-9 9 cat 0.9 seconds named 0.05 seconds true 0.75",
                    "1f0c2a-10 10 cat 1.0 seconds lost 0.05 seconds true 0.75",
                ]
            )
        }
    }

    /// A kind that the fixture lacks would be stored without a test.
    @Test func theFixtureHasEveryKind() {
        #expect(ZoneEvent.Kind.allCases.count == 5 && ObjectEvent.Kind.allCases.count == 3)
        #expect(LineZone.Direction.allCases.count == 2)
    }
}

import Foundation
import Sightline
import SightlineEvents
import SightlineMedia
import SightlineTestSupport
import Synchronization
import Testing

@testable import SightlineCLI

/// Whatever is true of a camera is so everywhere: in its counts, in its events and in its state.
@Suite(.hangLimit) struct StreamDeskTests {
    /// A destination that keeps what it gets.
    private final class Recorder: EventTransport {
        struct State {
            var events: [CameraEvent] = []
            var states: [CameraState] = []
            /// The names of events, and `state` for states, in their order.
            var order: [String] = []
            var isClosed = false
        }
        /// Whether ``close()`` waits.
        private let isBusy: Mutex<Bool>
        private let state = Mutex(State())
        /// Whether it takes no events.
        private let isAway: Bool
        let destination = "recorder"
        var all: State { state.withLock { $0 } }

        init(isBusy: Bool = false, isAway: Bool = false) {
            self.isBusy = Mutex(isBusy)
            self.isAway = isAway
        }

        func free() { isBusy.withLock { $0 = false } }
        func deliver(_ events: [CameraEvent]) async throws(EventError) {
            if isAway { throw .unreachable(destination: destination, reason: "it is away", retryAfter: nil) }
            state.withLock {
                $0.events += events
                $0.order += events.map(\.event.name)
            }
        }
        func show(_ new: CameraState) async throws(EventError) {
            state.withLock {
                $0.states.append(new)
                $0.order.append("state")
            }
        }
        func close() async {
            state.withLock { $0.isClosed = true }
            try? await wait(while: { isBusy.withLock { $0 } })
        }
    }

    private func place(_ recorder: Recorder, _ name: String = "", folder: URL? = nil) -> EventPlace {
        EventPlace(name: "recorder", identity: [name], folder: folder, transport: recorder)
    }

    private let zone = PolygonZone(
        [PixelPoint(x: 0, y: 0), PixelPoint(x: 100, y: 0), PixelPoint(x: 100, y: 100), PixelPoint(x: 0, y: 100)],
        name: "yard"
    )

    /// A frame with people at the middle of the zone.
    private func frame(at seconds: Double, _ people: [Int]) -> StreamResult {
        StreamResult(
            timestamp: .seconds(seconds),
            index: 0,
            size: PixelSize(width: 200, height: 200),
            objects: people.map { id in
                DetectedObject(
                    frame: PixelRect(x: 45, y: 45, width: 10, height: 10),
                    confidence: 0.9,
                    labels: [Label(text: "person", index: 0, confidence: 0.9)],
                    track: Track(state: .confirmed(id: id), firstSeen: .zero, lastSeen: .zero, isDetected: true)
                )
            }
        )
    }

    @Test func theEndOfALostStreamReachesCountsEventsAndState() async throws {
        try await withTemporaryFolder { folder in
            let (recorder, destinations) = (Recorder(), EventDestinations())
            await destinations.change(to: try await destinations.prepare([place(recorder)]))
            var settings = StreamDesk.Settings(camera: "door", history: StreamHistory(zones: [zone]))
            let url = folder.appending(path: "counts.csv")
            settings.counts = (url, .seconds(10))
            settings.datesCounts = false
            let desk = StreamDesk(settings, destinations: destinations)
            await desk.connect(isLive: true)
            for time in 0...4 {
                #expect(await desk.add(frame(at: Double(time), [1, 2]), frame: nil).countFailure == nil)
            }
            let ending = await desk.end()
            #expect(ending.events.count == 4)
            try await wait(while: { recorder.all.events.count < 8 || recorder.all.states.last?.isAvailable != false })
            #expect(recorder.all.states.last?.zones.first?.inside == 0)
            // The camera comes back, and nobody is there.
            await desk.connect(isLive: true)
            for time in 25...45 { _ = await desk.add(frame(at: Double(time), []), frame: nil) }
            try await desk.finish()
            let rows = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst()
            #expect(rows.map { $0.split(separator: ",").last } == ["0.8", "0.0", "0.0", "0.0", "0.0"])
            try await wait(while: { recorder.all.states.last?.isAvailable != true })
            _ = await destinations.finish()
        }
    }

    @Test func lostObjectsHaveTheDateOnWhichTheyWereLastSeen() async throws {
        let (recorder, destinations) = (Recorder(), EventDestinations())
        await destinations.change(to: try await destinations.prepare([place(recorder)]))
        let settings = StreamDesk.Settings(camera: "door", history: StreamHistory())
        let desk = StreamDesk(settings, destinations: destinations)
        await desk.connect(isLive: true)
        let start = Date()
        _ = await desk.add(frame(at: 0, [1]), frame: nil)
        let seen = Date()
        // The camera is silent for a while before it counts as lost.
        try await wait(while: { Date() < seen + 0.2 })
        _ = await desk.end()
        try await wait(while: { recorder.all.events.count < 2 })
        let lost = try #require(recorder.all.events.last)
        #expect(lost.event.name == "lost" && lost.date >= start - 0.01 && lost.date <= seen + 0.1)
        _ = await destinations.finish()
    }

    @Test func destinationsChangeAsASet() async throws {
        try await withTemporaryFolder { folder in
            let (old, kept, new) = (Recorder(), Recorder(), Recorder())
            let destinations = EventDestinations()
            await destinations.change(to: try await destinations.prepare([place(old, "old"), place(kept, "kept")]))
            let state = CameraState(camera: "door", objects: 3)
            await destinations.show(state)
            try await wait(while: { old.all.states.isEmpty || kept.all.states.isEmpty })

            // The last one cannot be opened, so that nothing changes.
            let file = folder.appending(path: "file")
            try Data().write(to: file)
            await #expect(throws: EventError.self) {
                _ = try await destinations.prepare([place(new, "new"), place(new, "broken", folder: file)])
            }
            #expect(new.all.isClosed && !old.all.isClosed && !kept.all.isClosed)

            await destinations.change(to: try await destinations.prepare([place(kept, "kept"), place(new, "new")]))
            #expect(old.all.isClosed && !kept.all.isClosed)
            try await wait(while: { new.all.states != [state] })
            #expect(kept.all.states == [state])
            _ = await destinations.finish()
        }
    }

    @Test func aFolderOfEventsGoesToTheNextDestination() async throws {
        try await withTemporaryFolder { folder in
            let (old, new, destinations) = (Recorder(), Recorder(), EventDestinations())
            let queue = folder.appending(path: "queue")
            await destinations.change(to: try await destinations.prepare([place(old, "old", folder: queue)]))
            let prepared = try await destinations.prepare([place(new, "new", folder: queue)])
            #expect(!old.all.isClosed)
            await destinations.change(to: prepared)
            #expect(old.all.isClosed)
            let object = try #require(await events(of: [1]).first)
            await destinations.publish([CameraEvent(camera: "door", event: object, date: Date())])
            try await wait(while: { new.all.events.isEmpty })
            #expect(await destinations.finish().map(\.undelivered) == [0])
        }
    }

    @Test func eventsThatTheNextDestinationSendsAreNotCountedAsUndelivered() async throws {
        try await withTemporaryFolder { folder in
            let (away, new, destinations) = (Recorder(isAway: true), Recorder(), EventDestinations(lastTime: .zero))
            let queue = folder.appending(path: "queue/webhook")
            await destinations.change(to: try await destinations.prepare([place(away, "away", folder: queue)]))
            let object = try #require(await events(of: [1]).first)
            await destinations.publish([CameraEvent(camera: "door", event: object, date: Date())])
            await destinations.change(to: try await destinations.prepare([place(new, "new", folder: queue)]))
            try await wait(while: { new.all.events.isEmpty })
            #expect(await destinations.undelivered == 0)

            // Without a next destination with the folder, the events stay there.
            let other = folder.appending(path: "queue/mqtt")
            await destinations.change(to: try await destinations.prepare([place(away, "away", folder: queue)]))
            await destinations.publish([CameraEvent(camera: "door", event: object, date: Date())])
            await destinations.change(to: try await destinations.prepare([place(new, "new", folder: other)]))
            #expect(await destinations.undelivered == 1)
            #expect(await EventOutbox.waitingCount(in: queue) == 1)
            _ = await destinations.finish()
        }
    }

    @Test func anEventThatAKillLeftBetweenDestinationsReachesAllOnce() async throws {
        try await withTemporaryFolder { folder in
            let event = CameraEvent(camera: "door", event: try #require(await events(of: [1]).first), date: Date())
            // The first destination had stored the event, and the second had not.
            let intake = try await EventIntake.open(folder.appending(path: "incoming")).intake
            await intake.store([event])
            await intake.close()
            let outbox = try await EventOutbox(Recorder(), folder: folder.appending(path: "first"))
            #expect(await outbox.store([event]) == 1)
            #expect(await outbox.finish(within: .zero) == 1)

            let (first, second, destinations) = (Recorder(), Recorder(), EventDestinations())
            let places = [
                place(first, "first", folder: folder.appending(path: "first")),
                place(second, "second", folder: folder.appending(path: "second")),
            ]
            await destinations.change(to: try await destinations.prepare(places))
            let next = CameraEvent(camera: "door", event: event.event, date: Date())
            await destinations.publish([next])
            #expect(await destinations.finish().map(\.undelivered) == [0, 0])
            for recorder in [first, second] { #expect(recorder.all.events.map(\.id) == [event.id, next.id]) }
            #expect(try await EventIntake.open(folder.appending(path: "incoming")).events.isEmpty)
        }
    }

    @Test func aRetiredCameraIsNotShownToLaterDestinations() async throws {
        let (old, new, destinations) = (Recorder(), Recorder(), EventDestinations())
        await destinations.change(to: try await destinations.prepare([place(old, "old")]))
        for name in ["gone", "door"] { await destinations.show(CameraState(camera: name)) }
        await destinations.retire("gone")
        await destinations.change(to: try await destinations.prepare([place(new, "new")]))
        try await wait(while: { new.all.states.isEmpty })
        _ = await destinations.finish()
        #expect(new.all.states.map(\.camera) == ["door"])
    }

    @Test func statesStayBehindTheEventsThatComeWhileDestinationsChange() async throws {
        let (old, kept, new, destinations) = (Recorder(isBusy: true), Recorder(), Recorder(), EventDestinations())
        await destinations.change(to: try await destinations.prepare([place(old, "old"), place(kept, "kept")]))
        let prepared = try await destinations.prepare([place(kept, "kept"), place(new, "new")])
        let change = Task { await destinations.change(to: prepared) }
        try await wait(while: { !old.all.isClosed })
        let object = try #require(await events(of: [1]).first)
        await destinations.publish([CameraEvent(camera: "door", event: object, date: Date())])
        await destinations.show(CameraState(camera: "door", objects: 1))
        await destinations.show(CameraState(camera: "gone"))
        await destinations.retire("gone")
        old.free()
        await change.value
        try await wait(while: { kept.all.order.count < 2 || new.all.order.count < 2 })
        #expect(kept.all.order == ["appeared", "state"] && new.all.order == ["appeared", "state"])
        #expect(old.all.order.isEmpty)
        _ = await destinations.finish()
    }

    private func events(of people: [Int]) async -> [StreamEvent] {
        var history = StreamHistory()
        return history.update(frame(at: 0, people))
    }
}

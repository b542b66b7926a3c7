import Foundation
import ModelHubProtocol
import SightlineEvents
import SightlineTestSupport
import Testing

/// The queue before a destination, with a destination in memory.
@Suite(.hangLimit) struct EventOutboxTests {
    private let retry = RetryPolicy(base: .milliseconds(1), maximum: .milliseconds(5))

    @Test func deliversEventsInTheirOrder() async throws {
        let transport = RecordingTransport()
        let outbox = try await EventOutbox(transport)
        for id in 1...25 { await outbox.publish([Events.crossing(id)]) }
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        #expect(await transport.events.map(\.event.id) == Array(1...25))
        #expect(await transport.isClosed)
        let numbers = await outbox.statistics
        #expect(numbers.delivered == 25 && numbers.waiting == 0)
    }

    @Test func triesAgainUntilTheDestinationAccepts() async throws {
        let transport = RecordingTransport(failures: Array(repeating: RecordingTransport.away, count: 12))
        let reports = Reports()
        let outbox = try await EventOutbox(transport, retry: retry) { reports.add($0) }
        await outbox.publish(Events.crossings(1...3))
        try await wait { await outbox.statistics.delivered < 3 }
        #expect(await transport.events.map(\.event.id) == [1, 2, 3])
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        #expect(
            reports.all == [
                "recorder does not accept events now: it is away; check the server and the network. Events wait, and are sent later.",
                "recorder accepts events again.",
            ]
        )
    }

    @Test func saysOnceThatTheDestinationIsAwayWhileAStateWaits() async throws {
        let transport = RecordingTransport(lasting: RecordingTransport.away)
        let reports = Reports()
        let outbox = try await EventOutbox(transport, retry: retry) { reports.add($0) }
        await outbox.show(CameraState(camera: "door"))
        // Longer than the time after which the outbox looks at its connections.
        try await wait { await transport.calls < 900 }
        #expect(reports.all.count == 1)
        _ = await outbox.finish(within: .zero)
    }

    @Test func dropsEventsThatTheDestinationRefusesAndCountsThem() async throws {
        let transport = RecordingTransport(failures: [RecordingTransport.refusal])
        let reports = Reports()
        let outbox = try await EventOutbox(transport, retry: retry) { reports.add($0) }
        await outbox.publish([Events.crossing(1)])
        try await wait { await outbox.statistics.refused < 1 }
        await outbox.publish([Events.crossing(2)])
        #expect(await outbox.finish(within: .seconds(60)) == 1)
        #expect(await transport.events.map(\.event.id) == [2])
        #expect(reports.all == ["recorder refused events: it does not like them; check the address and the receiver."])
    }

    @Test func saysOnceThatTheQueueIsFull() async throws {
        let transport = RecordingTransport(lasting: RecordingTransport.away)
        let reports = Reports()
        let outbox = try await EventOutbox(transport, limit: 20, retry: retry) { reports.add($0) }
        await outbox.publish(Events.crossings(1...18))
        await outbox.publish(Events.crossings(19...22))
        await outbox.publish(Events.crossings(23...24))
        #expect(await outbox.statistics.dropped == 4)
        #expect(
            reports.all.filter { $0.contains("full") } == [
                "The queue of recorder is full with 20 events; further events are dropped."
            ]
        )
        await transport.comeBack()
        #expect(await outbox.finish(within: .seconds(60)) == 4)
        #expect(await transport.events.map(\.event.id) == Array(1...20))
    }

    @Test func endsAtTheDeadlineAndCountsTheRest() async throws {
        let transport = RecordingTransport(lasting: RecordingTransport.away)
        let outbox = try await EventOutbox(transport, retry: retry)
        await outbox.publish(Events.crossings(1...7))
        #expect(await outbox.finish(within: .milliseconds(50)) == 7)
        #expect(await outbox.statistics.waiting == 7)
    }

    @Test func showsOnlyTheLastStateOfACamera() async throws {
        let transport = RecordingTransport(lasting: RecordingTransport.away)
        let outbox = try await EventOutbox(transport, retry: retry)
        for count in 1...5 { await outbox.show(CameraState(camera: "door", objects: count)) }
        await outbox.show(picture: [1, 2, 3], of: "door")
        await transport.comeBack()
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        let last = try #require(await transport.states.last)
        #expect(last.objects == 5)
        #expect(await transport.pictures == [[1, 2, 3]])
        #expect(await transport.states.count <= 2)
    }

    @Test func showsAnEqualStateOnce() async throws {
        let transport = RecordingTransport()
        let outbox = try await EventOutbox(transport)
        for _ in 1...3 {
            await outbox.show(CameraState(camera: "door", objects: 1))
            try await wait { await transport.states.isEmpty }
        }
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        #expect(await transport.states.count == 1)
    }

    @Test func givesEachEventItsOwnID() {
        let ids = Events.crossings(1...1000).map(\.id)
        #expect(Set(ids).count == 1000)
        #expect(Set(ids.map { $0.prefix { $0 != "-" } }).count == 1)
    }

    @Test func stopsCountingFailuresOnceItIsOver() async throws {
        let outbox = try await EventOutbox(RecordingTransport())
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        await outbox.publish([Events.crossing(1)])
        #expect(await outbox.statistics.dropped == 1)
    }

    @Test func statesComeAfterEventsAndPicturesAfterStates() async throws {
        let transport = RecordingTransport(lasting: RecordingTransport.away)
        let outbox = try await EventOutbox(transport, retry: retry)
        await outbox.show(picture: [1], of: "door")
        await outbox.show(CameraState(camera: "door"))
        await outbox.publish(Events.crossings(1...2))
        await transport.comeBack()
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        #expect(await transport.order == ["event 1", "event 2", "state", "picture"])
    }

    @Test func dropsAPictureThatIsRefusedAndDeliversTheRest() async throws {
        let transport = RecordingTransport(pictureFailure: RecordingTransport.refusal)
        let outbox = try await EventOutbox(transport, retry: retry)
        await outbox.show(picture: [1], of: "door")
        try await wait { await outbox.statistics.droppedPictures < 1 }
        await outbox.publish([Events.crossing(1)])
        await outbox.show(CameraState(camera: "door", objects: 1))
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        #expect(await transport.order == ["event 1", "state"])
    }

    @Test(arguments: [[7], [1, 2, 25], Array(11...20)])
    func losesOnlyTheEventsThatAreRefusedAlone(unwelcome: [Int]) async throws {
        let transport = RecordingTransport(failures: [], unwelcome: Set(unwelcome))
        let reports = Reports()
        let outbox = try await EventOutbox(transport, retry: retry) { reports.add($0) }
        await outbox.publish(Events.crossings(1...25))
        #expect(await outbox.finish(within: .seconds(60)) == unwelcome.count)
        #expect(await transport.events.map(\.event.id) == (1...25).filter { !unwelcome.contains($0) })
        #expect(await outbox.statistics.refused == unwelcome.count)
        #expect(reports.all.count == 1)
    }

    @Test func saysAgainThatEventsAreRefused() async throws {
        let transport = RecordingTransport(lasting: RecordingTransport.refusal)
        let reports = Reports()
        let outbox = try await EventOutbox(transport, retry: retry, reportInterval: .zero) { reports.add($0) }
        for id in 1...3 {
            await outbox.publish([Events.crossing(id)])
            try await wait { await outbox.statistics.refused < id }
        }
        #expect(await outbox.finish(within: .seconds(60)) == 3)
        #expect(reports.all.count == 3)
    }

    @Test func takesACameraBackAfterItsEvents() async throws {
        let transport = RecordingTransport(lasting: RecordingTransport.away)
        let outbox = try await EventOutbox(transport, retry: retry)
        await outbox.show(CameraState(camera: "door"))
        await outbox.show(picture: [1], of: "door")
        await outbox.publish([Events.crossing(1)])
        await outbox.retire("door")
        await transport.comeBack()
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        #expect(await transport.order == ["event 1", "retire door"])
    }

    @Test func aStateBringsACameraBack() async throws {
        let transport = RecordingTransport()
        let outbox = try await EventOutbox(transport, retry: retry)
        await outbox.show(CameraState(camera: "door"))
        try await wait { await transport.states.isEmpty }
        await outbox.retire("door")
        try await wait { await transport.retired.isEmpty }
        await outbox.show(CameraState(camera: "door"))
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        #expect(await transport.order == ["state", "retire door", "state"])
    }

    @Test func namesTheFolderOfAFileThatCannotBeWritten() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "missing/events.jsonl")
            let reports = Reports()
            let outbox = try await EventOutbox(FileTransport(file), retry: retry) { reports.add($0) }
            await outbox.publish([Events.crossing(1)])
            try await wait { reports.all.isEmpty }
            #expect(
                reports.all[0].contains(
                    "cannot be written now: No such file or directory; check that its folder exists"
                )
            )
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: false
            )
            #expect(await outbox.finish(within: .seconds(60)) == 0)
        }
    }

    @Test(arguments: [10, 60, 100])
    func aFileHasAnEventWhoseLineAKillHasTorn(byteCount: Int) async throws {
        try await withTemporaryFolder { folder in
            let (file, whole) = (folder.appending(path: "events.jsonl"), folder.appending(path: "whole.jsonl"))
            let events = Events.crossings(1...2)
            try await FileTransport(whole).deliver(events)
            let bytes = try Data(contentsOf: whole)
            let first = try #require(bytes.firstIndex(of: UInt8(ascii: "\n"))) + 1
            try bytes.prefix(first + byteCount).write(to: file)
            // The next run delivers both again.
            try await FileTransport(file).deliver(events)
            #expect(try Data(contentsOf: file) == bytes)
        }
    }
}

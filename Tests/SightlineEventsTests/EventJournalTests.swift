import DurableFiles
import Foundation
import ModelHubProtocol
import SightlineEvents
import SightlineTestSupport
import Testing

/// The folder of an outbox, which keeps events beyond the end of the program.
@Suite(.hangLimit) struct EventJournalTests {
    private let retry = RetryPolicy(base: .milliseconds(1), maximum: .milliseconds(5))

    /// The folder as a killed program leaves it: a copy of the folder of an outbox that is open.
    private func killed(_ folder: URL, _ body: (EventOutbox, RecordingTransport) async throws -> Void) async throws
        -> URL
    {
        let transport = RecordingTransport(lasting: RecordingTransport.away)
        let open = folder.appending(path: "open")
        let outbox = try await EventOutbox(transport, folder: open, retry: retry)
        try await body(outbox, transport)
        let copy = folder.appending(path: "copy")
        try FileManager.default.copyItem(at: open, to: copy)
        _ = await outbox.finish(within: .zero)
        return copy
    }

    /// The identities that a new outbox delivers from a folder, and the outbox's numbers.
    private func delivered(from folder: URL, _ reports: Reports = Reports()) async throws -> (
        [Int], EventOutbox.Statistics
    ) {
        let transport = RecordingTransport()
        let outbox = try await EventOutbox(transport, folder: folder) { reports.add($0) }
        #expect(await outbox.finish(within: .seconds(60)) == 0)
        return (await transport.events.map(\.event.id), await outbox.statistics)
    }

    @Test func keepsEventsThatWereNotDeliveredForTheNextRun() async throws {
        try await withTemporaryFolder { folder in
            let transport = RecordingTransport(lasting: RecordingTransport.away)
            let outbox = try await EventOutbox(transport, folder: folder, retry: retry)
            let events = Events.crossings(1...30)
            await outbox.publish(events)
            #expect(await outbox.finish(within: .zero) == 30)
            let next = RecordingTransport()
            let nextOutbox = try await EventOutbox(next, folder: folder)
            #expect(await nextOutbox.finish(within: .seconds(60)) == 0)
            #expect(await next.events == events)
            let (again, _) = try await delivered(from: folder)
            #expect(again.isEmpty)
        }
    }

    @Test func losesNothingThatWasAcceptedWhenTheProgramIsKilled() async throws {
        try await withTemporaryFolder { folder in
            let copy = try await killed(folder) { outbox, _ in
                for id in 1...40 { await outbox.publish([Events.crossing(id)]) }
            }
            let (ids, numbers) = try await delivered(from: copy)
            #expect(ids == Array(1...40))
            #expect(numbers.restored == 40 && numbers.damaged == 0)
        }
    }

    @Test func remembersWhatWasDeliveredBeforeAKill() async throws {
        try await withTemporaryFolder { folder in
            let copy = try await killed(folder) { outbox, transport in
                await transport.comeBack()
                await outbox.publish(Events.crossings(1...20))
                try await wait { await outbox.statistics.waiting > 0 }
                // Operations on the folder are in order.
                await outbox.publish([Events.crossing(21)])
            }
            let (ids, _) = try await delivered(from: copy)
            #expect(Set(ids).isSubset(of: [21]))
        }
    }

    @Test func dropsATornLastLineAndSaysSo() async throws {
        try await withTemporaryFolder { folder in
            let copy = try await killed(folder) { outbox, _ in await outbox.publish(Events.crossings(1...5)) }
            let file = try #require(try files(in: copy).first)
            let bytes = try Data(contentsOf: file)
            try bytes.dropLast(20).write(to: file)
            let reports = Reports()
            let (ids, numbers) = try await delivered(from: copy, reports)
            #expect(ids == [1, 2, 3, 4])
            #expect(numbers.damaged == 1)
            #expect(reports.all.first?.hasSuffix("has 1 torn or damaged line, which was skipped.") == true)
        }
    }

    @Test func skipsADamagedLine() async throws {
        try await withTemporaryFolder { folder in
            let copy = try await killed(folder) { outbox, _ in
                for id in 1...3 { await outbox.publish([Events.crossing(id)]) }
            }
            let file = try #require(try files(in: copy).first)
            var lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map { Data($0) }
            lines[1][lines[1].startIndex + 30] ^= 1
            try Data((lines.map { $0 + [10] }).joined()).write(to: file)
            let (ids, numbers) = try await delivered(from: copy)
            #expect(ids == [1, 3])
            #expect(numbers.damaged == 1)
        }
    }

    @Test(arguments: ["", "garbage", "000000000001 000000999999 00000000\n"])
    func deliversAgainIfTheMarkIsDamaged(mark: String) async throws {
        try await withTemporaryFolder { folder in
            let copy = try await killed(folder) { outbox, _ in await outbox.publish(Events.crossings(1...5)) }
            try Data(mark.utf8).write(to: copy.appending(path: "delivered"))
            let (ids, _) = try await delivered(from: copy)
            #expect(ids == [1, 2, 3, 4, 5])
        }
    }

    @Test func removesFilesOfDeliveredEvents() async throws {
        try await withTemporaryFolder { folder in
            let outbox = try await EventOutbox(RecordingTransport(), folder: folder)
            for start in 0..<80 {
                await outbox.publish(Events.crossings(start * 100...start * 100 + 99))
            }
            try await wait { await outbox.statistics.waiting > 0 }
            #expect(await outbox.finish(within: .seconds(60)) == 0)
            #expect(try files(in: folder).isEmpty)
            #expect(await outbox.statistics.delivered == 8000)
        }
    }

    @Test(
        arguments: [
            "9223372036854775807.events", "99999999999999999999999.events", "1.events", "-0000001.events",
            "000000001.events",
            "00000002.events.old", "events",
        ]
    )
    func ignoresOtherFiles(name: String) async throws {
        try await withTemporaryFolder { folder in
            let copy = try await killed(folder) { outbox, _ in await outbox.publish(Events.crossings(1...5)) }
            try Data("x\n".utf8).write(to: copy.appending(path: name))
            let (ids, numbers) = try await delivered(from: copy)
            #expect(ids == [1, 2, 3, 4, 5])
            #expect(numbers.damaged == 0)
        }
    }

    @Test func ignoresAPipeAndAFolderWithTheNamesOfFiles() async throws {
        try await withTemporaryFolder { folder in
            let copy = try await killed(folder) { outbox, _ in await outbox.publish(Events.crossings(1...5)) }
            #expect(mkfifo(copy.appending(path: "00000007.events").path, 0o600) == 0)
            try FileManager.default.createDirectory(
                at: copy.appending(path: "00000008.events"),
                withIntermediateDirectories: false
            )
            let (ids, _) = try await delivered(from: copy)
            #expect(ids == [1, 2, 3, 4, 5])
        }
    }

    @Test func deliversAgainIfTheMarkNamesAFileBeyondAllOthers() async throws {
        try await withTemporaryFolder { folder in
            let copy = try await killed(folder) { outbox, _ in await outbox.publish(Events.crossings(1...5)) }
            let place = "9223372036854775807 000000000000"
            let checksum = SHA256.hexadecimalDigest(of: Data(place.utf8)).prefix(8)
            try Data("\(place) \(checksum)\n".utf8).write(to: copy.appending(path: "delivered"))
            let (ids, _) = try await delivered(from: copy)
            #expect(ids == [1, 2, 3, 4, 5])
        }
    }

    @Test func refusesAFolderWhoseLastFileHasTooLargeANumber() async throws {
        try await withTemporaryFolder { folder in
            try Data().write(to: folder.appending(path: "99999999999.events"))
            await #expect(throws: EventError.self) { _ = try await EventOutbox(RecordingTransport(), folder: folder) }
        }
    }

    @Test func refusesAFolderInUse() async throws {
        try await withTemporaryFolder { folder in
            let outbox = try await EventOutbox(RecordingTransport(), folder: folder)
            await #expect(
                throws: EventError.queue(
                    path: folder.path(percentEncoded: false),
                    reason: "another program uses the folder"
                )
            ) {
                _ = try await EventOutbox(RecordingTransport(), folder: folder)
            }
            _ = await outbox.finish(within: .zero)
        }
    }

    @Test func refusesAFolderThatCannotBeMade() async throws {
        await #expect(throws: EventError.self) {
            _ = try await EventOutbox(RecordingTransport(), folder: URL(filePath: "/proc/no/folder"))
        }
    }

    @Test func deliversEventsThatADiskDidNotTake() async throws {
        try await withTemporaryFolder { folder in
            let transport = RecordingTransport(lasting: RecordingTransport.away)
            let reports = Reports()
            let outbox = try await EventOutbox(transport, folder: folder, retry: retry) { reports.add($0) }
            // No file can be created where the folder is gone.
            try FileManager.default.removeItem(at: folder)
            await outbox.publish(Events.crossings(1...3))
            await transport.comeBack()
            #expect(await outbox.finish(within: .seconds(60)) == 0)
            #expect(await transport.events.map(\.event.id) == [1, 2, 3])
            #expect(reports.all.contains { $0.contains("Events are kept in memory until it can be.") })
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    private func files(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "events" }
    }
}

import HTTPServing
import SightlineTestSupport
import Synchronization
import Testing

@Suite(.hangLimit)
struct FairQueueTests {
    @Test func ownersTakeTurnsAndKeepTheirOrder() {
        var line = FairLine<String>()
        for element in ["a1", "a2", "a3"] { line.append(element, of: "a") }
        line.append("b1", of: "b")
        #expect(line.elements == ["a1", "b1", "a2", "a3"])
        #expect(line.popFirst()?.element == "a1")
        line.append("b2", of: "b")
        line.append("c1", of: "c")
        #expect(line.elements == ["b1", "c1", "a2", "b2", "a3"])
        #expect(line.count(of: "a") == 2)
    }

    @Test func whoComesBackWaitsForThoseThatHadNoTurn() {
        var line = FairLine<String>()
        line.append("a1", of: "a")
        #expect(line.popFirst()?.element == "a1")
        line.append("a2", of: "a")
        line.append("b1", of: "b")
        #expect(line.elements == ["b1", "a2"])
    }

    @Test func anOwnerHoldsNoMoreThanItMayAndOthersAreFree() async throws {
        struct Full: Error {}
        let limit = OwnerLimit(2, refusal: Full())
        func occupied(_ body: () async throws -> Void) async throws {
            try await limit.run(as: "a") { try await limit.run(as: "a") { try await body() } }
        }
        for _ in 1...2 {
            try await occupied {
                await #expect(throws: Full.self) { try await limit.run(as: "a") {} }
                try await limit.run(as: "b") {}
            }
        }
        // A failure gives its place back, too.
        struct Stop: Error {}
        for _ in 1...3 { await #expect(throws: Stop.self) { try await limit.run(as: "a") { throw Stop() } } }
        try await occupied {}
    }

    @Test func oneOwnerNeverHasAllPlaces() async throws {
        let queue = FairQueue(places: 2, placesOfOwner: 1)
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let slow = Task {
            try await queue.run(as: "a") {
                beginning.yield()
                for await _ in release { return }
            }
        }
        var starts = begun.makeAsyncIterator()
        _ = await starts.next()
        let waiting = (0..<3).map { _ in Task { try await queue.run(as: "a") {} } }
        // Another's turn comes although much of the first waits.
        try await queue.run(as: "b") {}
        releasing.yield()
        try await slow.value
        for task in waiting { try await task.value }
    }

    @Test func waitingEndsWithItsTask() async throws {
        let queue = FairQueue(places: 1, placesOfOwner: 1)
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await queue.run(as: "a") {
                beginning.yield()
                for await _ in release { return }
            }
        }
        var starts = begun.makeAsyncIterator()
        _ = await starts.next()
        let second = Task { try await queue.run(as: "b") {} }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        releasing.yield()
        try await first.value
        try await queue.run(as: "b") {}
    }
}

/// A queue whose places to wait are limited.
@Suite(.hangLimit)
struct FullQueueTests {
    @Test func aFullLineMakesRoomForOwnersWithFewElements() {
        var line = FairLine<String>()
        for element in ["a1", "a2", "a3"] { line.append(element, of: "a") }
        #expect(line.makeRoom(for: "a") == nil)
        #expect(line.makeRoom(for: "b") == "a3")
        line.append("b1", of: "b")
        #expect(line.elements == ["a1", "b1", "a2"])
        // Both would have as many.
        #expect(line.makeRoom(for: "b") == nil)
        line.append("a4", of: "a")
        #expect(line.elements == ["a1", "b1", "a2", "a4"])
    }

    @Test func beyondItsPlacesAQueueRefuses() async throws {
        let queue = FairQueue(places: 1, placesOfOwner: 1, waitingPlaces: 2)
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let slow = Task {
            try await queue.run(as: "a") {
                beginning.yield()
                for await _ in release { return }
            }
        }
        var starts = begun.makeAsyncIterator()
        _ = await starts.next()
        let greedy = (0..<2).map { _ in Task { try await queue.run(as: "a") {} } }
        try await wait { await queue.waitingCount < 2 }
        await #expect(throws: FairQueue.Full.self) { try await queue.run(as: "a") {} }
        // Another client takes a place of the greedy one.
        let modest = Task { try await queue.run(as: "b") {} }
        let results = await withTaskGroup(of: Bool.self) { group in
            for task in greedy { group.addTask { await (try? task.value) == nil } }
            // One of the greedy tasks ends without a turn while the slow one still runs.
            let first = await group.next()
            releasing.finish()
            var rest: [Bool] = []
            for await result in group { rest.append(result) }
            return [first] + rest
        }
        #expect(results == [true, false])
        try await modest.value
        try await slow.value
    }
}

struct SecretTests {
    @Test(arguments: [
        ("token", true), ("tokem", false), ("tok", false), ("tokens", false), ("", false), ("tokentoken", false),
    ])
    func aSecretMatchesItselfAlone(_ text: String, _ matches: Bool) {
        #expect(Secret("token").matches(text) == matches)
        #expect(!Secret("").matches(text))
    }
}

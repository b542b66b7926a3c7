import Sightline
import SightlineTestSupport
import Synchronization
import Testing

/// Work on a stream of items with results in order.
@Suite(.hangLimit)
struct OrderedWorkTests {
    /// Gives the numbers from 0, and counts how many were given.
    private actor Numbers {
        private(set) var given = 0
        let total: Int

        init(total: Int) { self.total = total }

        func next() -> Int? {
            guard given < total else { return nil }
            given += 1
            return given - 1
        }
    }

    @Test(arguments: [0, 1, 2, 7]) func deliversAllResultsInOrder(workers: Int) async {
        let numbers = Numbers(total: 100)
        var results: [Int] = []
        await OrderedWork.run(workers: workers) { _ in
            await numbers.next()
        } work: { number in
            // Early items take longer, so that later ones overtake them.
            for _ in 0..<(100 - number) { await Task.yield() }
            return number
        } deliver: {
            results.append($0)
        }
        #expect(results == Array(0..<100))
    }

    @Test func neverWorksOnMoreItemsThanThereAreWorkers() async {
        let numbers = Numbers(total: 60)
        let active = Mutex((now: 0, most: 0))
        await OrderedWork.run(workers: 3) { _ in
            await numbers.next()
        } work: { _ in
            active.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.yield()
            active.withLock { $0.now -= 1 }
        } deliver: { _ in
        }
        #expect(active.withLock(\.most) <= 3)
    }

    @Test func takesNoFurtherItemsWhileOneHoldsUpTheResults() async {
        let numbers = Numbers(total: 1000)
        await OrderedWork.run(workers: 2) { _ in
            await numbers.next()
        } work: { number in
            if number == 0 {
                for _ in 0..<2000 { await Task.yield() }
                #expect(await numbers.given <= 9)
            }
        } deliver: { _ in
        }
        #expect(await numbers.given == 1000)
    }

    @Test func withOneWorkerAsksForTheNextItemOnlyAfterDelivering() async {
        let log = Mutex<[String]>([])
        let numbers = Numbers(total: 2)
        await OrderedWork.run(workers: 1) { _ in
            log.withLock { $0.append("next") }
            return await numbers.next()
        } work: {
            $0
        } deliver: { number in
            log.withLock { $0.append("deliver \(number)") }
        }
        #expect(log.withLock(\.self) == ["next", "deliver 0", "next", "deliver 1", "next"])
    }

    @Test func passesTheNumberOfTheItemToRead() async {
        var results: [Int] = []
        await OrderedWork.run(workers: 3) { number in
            number < 20 ? number * 2 : nil
        } work: {
            $0
        } deliver: {
            results.append($0)
        }
        #expect(results == (0..<20).map { $0 * 2 })
    }

    @Test func anErrorEndsTheWorkAndCancelsTheRest() async {
        struct Failure: Error, Equatable {}
        let cancelled = Mutex(0)
        await #expect(throws: Failure()) {
            try await OrderedWork.run(workers: 2) { number in
                number
            } work: { (number: Int) async throws(Failure) in
                guard number == 0 else {
                    while !Task.isCancelled { await Task.yield() }
                    return cancelled.withLock { $0 += 1 }
                }
                throw Failure()
            } deliver: { _ in
            }
        }
        #expect(cancelled.withLock(\.self) <= 1)
    }
}

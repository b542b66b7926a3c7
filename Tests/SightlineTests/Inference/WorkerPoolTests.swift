import Foundation
import SightlineTestSupport
import Synchronization
import Testing

@testable import Sightline

@Suite(.hangLimit) struct WorkerPoolTests {
    /// A worker that notices when two callers use it at once.
    private final class Exclusive {
        var isBusy = false
        var runs = 0
    }

    private final class Counter: Sendable {
        let count = Mutex(0)
        func add() { count.withLock { $0 += 1 } }
    }

    @Test func eachWorkerServesOneCallerAtATime() async throws {
        let pool = WorkerPool(count: 3) { Exclusive() }
        let overlaps = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    try await pool.withWorker { worker in
                        if worker.isBusy { overlaps.add() }
                        worker.isBusy = true
                        worker.runs += 1
                        Thread.sleep(forTimeInterval: 0.0001)
                        worker.isBusy = false
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(overlaps.count.withLock { $0 } == 0)
    }

    @Test func threadsAndTasksShareOneWorker() async throws {
        let pool = WorkerPool(count: 1) { Exclusive() }
        async let threads: Void = withCheckedContinuation { continuation in
            Thread.detachNewThread {
                for _ in 0..<100 { pool.withWorkerBlocking { $0.runs += 1 } }
                continuation.resume()
            }
        }
        for _ in 0..<100 { try await pool.withWorker { $0.runs += 1 } }
        await threads
        let runs = try await pool.withWorker { $0.runs }
        #expect(runs == 200)
    }

    @Test func aTaskCancelledWhileItWaitsLeavesTheQueue() async throws {
        let pool = WorkerPool(count: 1) { Exclusive() }
        let release = DispatchSemaphore(value: 0)
        let holdsWorker = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            pool.withWorkerBlocking { _ in
                holdsWorker.signal()
                release.wait()
            }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                holdsWorker.wait()
                continuation.resume()
            }
        }
        let waiting = Task { try await pool.withWorker { $0.runs += 1 } }
        try await Task.sleep(for: .milliseconds(20))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        release.signal()
        #expect(try await pool.withWorker { $0.runs } == 0)
    }

    @Test func anErrorGivesTheWorkerBack() async throws {
        struct Failure: Error {}
        let pool = WorkerPool(count: 1) { Exclusive() }
        await #expect(throws: Failure.self) { try await pool.withWorker { _ in throw Failure() } }
        #expect(try await pool.withWorker { $0.runs } == 0)
    }

    @Test func concurrentMapKeepsTheOrder() async throws {
        let squares = try await Array(0..<100).concurrentMap(limit: 4) { number in
            try await Task.sleep(for: .microseconds((100 - number) * 5))
            return number * number
        }
        #expect(squares == (0..<100).map { $0 * $0 })
    }
}

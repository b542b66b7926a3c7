import Foundation
import Testing

/// Runs tests that block a thread, on threads of their own.
///
/// A test that waits for a server without `await` would hold one of the few threads on which all other tests run.
public struct BlockingThreads: SuiteTrait, TestTrait, TestScoping {
    /// The trait of a suite is one of each of its tests.
    public let isRecursive = true

    /// Runs a test where it may block.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor.shared) { try await function() }
    }

    private final class Executor: TaskExecutor {
        static let shared = Executor()

        private let queue = OperationQueue()

        private init() {
            queue.maxConcurrentOperationCount = 2 * ProcessInfo.processInfo.activeProcessorCount
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}

extension Trait where Self == BlockingThreads {
    /// The tests block their threads, without holding up others.
    public static var blocksThreads: Self { Self() }
}

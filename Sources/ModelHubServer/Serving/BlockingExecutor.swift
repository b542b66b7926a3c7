import NIOCore
import NIOPosix

/// Runs tasks that wait for the disk or compute for long, on a few threads of their own.
///
/// Event loops serve other connections meanwhile, and the threads of the Swift runtime, which are for work that never waits, stay
/// free. What exceeds the threads waits in a queue.
final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    private let threads = NIOThreadPool(numberOfThreads: max(2 * System.coreCount, 4))

    /// The threads are never stopped: there is one executor, which lives as long as the process.
    private init() { threads.start() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        threads.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a function on the threads, with all that it waits for.
    static func run<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(shared, operation: body)
    }
}

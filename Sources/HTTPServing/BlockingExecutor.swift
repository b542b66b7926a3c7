import NIOCore
import NIOPosix

/// Runs tasks that wait for the disk or compute for a long time, on its own few threads.
///
/// Meanwhile event loops serve other connections, and the threads of the Swift runtime, which must never wait, stay
/// free. Tasks beyond the number of threads wait in a queue.
package final class BlockingExecutor: TaskExecutor {
    /// The executor of the process.
    package static let shared = BlockingExecutor()

    private let threads = NIOThreadPool(numberOfThreads: max(2 * System.coreCount, 4))

    /// The threads are never stopped: there is a single executor, which lives as long as the process.
    private init() { threads.start() }

    /// Runs a part of a task on a thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        threads.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a function, and everything that it awaits, on the threads.
    package static func run<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(shared, operation: body)
    }
}

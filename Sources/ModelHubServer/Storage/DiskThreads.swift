import NIOCore
import NIOPosix

/// Threads for short file operations of stores: they may wait for the disk, while event loops and the threads of the
/// Swift runtime never wait.
///
/// They are not those of ``BlockingExecutor``, so that downloads do not wait for long work.
enum DiskThreads {
    /// The threads are never stopped: they live as long as the process.
    private static let threads = {
        let threads = NIOThreadPool(numberOfThreads: max(2 * System.coreCount, 4))
        threads.start()
        return threads
    }()

    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await threads.runIfActive(body)
    }
}

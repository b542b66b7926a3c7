import Dispatch
import Foundation
import Synchronization

/// Runs the tasks of a sandboxed process on threads of its own.
///
/// Dispatch reads the state of its worker threads from `/proc`, and ends the process if it cannot. A process that runs its tasks
/// here needs no right to read `/proc`, where the environments of other processes lie.
final class WorkerThreads: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let count = DispatchSemaphore(value: 0)

    /// Starts threads, which live as long as the process.
    init(count: Int) {
        for _ in 0..<count { Thread.detachNewThread { self.work() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        count.signal()
    }

    private func work() {
        while true {
            count.wait()
            let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            job?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

import Dispatch

/// The executor for tasks whose file operations block threads. The few threads of the Swift runtime must never wait.
package final class FileExecutor: TaskExecutor {
    /// The executor of this process.
    package static let shared = FileExecutor()

    private let queue = DispatchQueue(label: "sightline.files", attributes: .concurrent)

    /// Runs a job on a thread that may wait.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

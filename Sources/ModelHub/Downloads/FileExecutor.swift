import Dispatch

/// The executor for downloads. Their file operations block threads, and the few threads of the Swift runtime must never
/// wait.
final class FileExecutor: TaskExecutor {
    static let shared = FileExecutor()

    private let queue = DispatchQueue(label: "sightline.model-downloads", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

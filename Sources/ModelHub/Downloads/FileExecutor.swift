import Dispatch

/// Where downloads run: their files block threads, and those of the Swift runtime are few and for work that never waits.
final class FileExecutor: TaskExecutor {
    static let shared = FileExecutor()

    private let queue = DispatchQueue(label: "sightline.model-downloads", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

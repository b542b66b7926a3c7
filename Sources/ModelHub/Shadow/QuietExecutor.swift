import Foundation
import SightlineLocks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Runs tasks on one thread that gives way to all others, for work that nobody waits for.
package final class QuietExecutor: TaskExecutor {
    /// The executor of the process, whose thread begins with the first task.
    package static let shared = QuietExecutor()

    private struct State {
        var jobs: [UnownedJob] = []
        var hasThread = false
    }

    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    private init() {}

    /// Adds a part of a task.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if isFirst { start() }
        arrival.signal()
    }

    private func start() {
        let thread = Thread { [self] in
            Self.giveWay()
            while true {
                arrival.wait()
                guard let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else { continue }
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
        thread.name = "sightline.quiet"
        thread.qualityOfService = .background
        // As the main thread's: models use more than the half megabyte that other threads may have.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Lets the calling thread run where no other has work, and elsewhere leaves that to its quality of service.
    private static func giveWay() {
        #if os(Linux)
            // On Linux, 0 is the calling thread. A thread with this policy gives its processor up at once when another one wakes. If the
            // system forbids the policy, the lowest usual priority is next best.
            var parameters = sched_param()
            if sched_setscheduler(0, Self.idlePolicy, &parameters) == 0 { return }
        #endif
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        #elseif canImport(Musl) || canImport(Android)
            _ = setpriority(PRIO_PROCESS, 0, 19)
        #endif
    }

    /// `SCHED_IDLE` of Linux, which is not in all of its headers.
    private static let idlePolicy: Int32 = 5
}

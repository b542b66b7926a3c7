import Foundation

/// Refuses to begin where the limits of the process are so low that the runtime of Swift would end the program without a message: it
/// creates threads, pipes and event queues, and does not expect a failure.
package enum MachineLimits {
    /// The address space that the runtime, its threads and the libraries take, in bytes.
    private static let leastAddressSpace = rlim_t(512 << 20)

    /// Ends the process with a message if a limit is too low.
    ///
    /// - Parameter files: the number of files that the program needs to have open at the same time.
    package static func check(files: Int) {
        guard let problem = problem(files: rlim_t(files)) else { return }
        StandardError.report(problem)
        exit(ExitStatus.failure.rawValue)
    }

    private static func problem(files: rlim_t) -> String? {
        #if os(Linux)
            let (openFiles, addressSpace) = (Int32(RLIMIT_NOFILE.rawValue), Int32(RLIMIT_AS.rawValue))
        #else
            let (openFiles, addressSpace) = (RLIMIT_NOFILE, RLIMIT_AS)
        #endif
        var limit = rlimit()
        if getrlimit(openFiles, &limit) == 0, limit.rlim_cur < files {
            limit.rlim_cur = min(files, limit.rlim_max)
            guard setrlimit(openFiles, &limit) == 0, limit.rlim_cur >= files else {
                return
                    "The system allows \(limit.rlim_cur) open files, but this program needs \(files); raise the limit (`ulimit -n \(files)`)."
            }
        }
        if getrlimit(addressSpace, &limit) == 0, limit.rlim_cur < leastAddressSpace {
            return
                "The system allows \(limit.rlim_cur >> 20) MB of address space, but this program needs \(leastAddressSpace >> 20) MB; "
                + "raise the limit (`ulimit -v \(leastAddressSpace >> 10)`)."
        }
        return nil
    }
}

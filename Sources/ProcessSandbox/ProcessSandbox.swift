import CSandbox
import Foundation

/// Restricts a process before it reads untrusted data.
///
/// Inside the sandbox the process may compute within limits, read the listed files, and write to open descriptors such
/// as its standard output. It cannot write other files, start processes or programs, use the network, or signal other
/// processes. A fault in a library that reads models or pictures then cannot expose the hub's keys.
///
/// On Linux the sandbox uses resource limits, Landlock (Linux 5.13) and seccomp. The number of threads has a limit if the
/// process belongs to root, or if the kernel permits user namespaces (Linux 5.19). On other systems only the resource limits
/// apply.
public struct ProcessSandbox: Sendable {
    /// The address space in bytes. The runtime of models maps more memory than it uses.
    public var addressSpace = 4 << 30
    /// The processor time in seconds.
    public var processorSeconds = 60
    /// The number of threads: a few for each of many processors.
    public var threads = 512
    /// The readable files and folders.
    public var readable: [String]

    /// Creates a sandbox that allows reading some files and folders, in addition to the system's libraries and devices.
    public init(reading paths: [String]) {
        readable = paths
    }

    /// A protection that some kernels lack.
    public enum Protection: String, Sendable, CaseIterable {
        /// Forbids new files, processes, programs, sockets, and signals to other processes.
        case systemCalls = "system calls (seccomp)"
        /// Forbids all files except the readable ones.
        case files = "files (Landlock, Linux 5.13)"
        /// Forbids more threads than ``ProcessSandbox/threads``.
        case threads = "the number of threads (user namespaces, Linux 5.19)"
    }

    /// Enters the sandbox permanently. Call this on the main thread before other threads exist, and after libraries are
    /// loaded.
    ///
    /// - Returns: The active protections.
    @discardableResult public func enter() -> Set<Protection> {
        Self.limit(RLIMIT_AS, addressSpace)
        Self.limit(RLIMIT_CPU, processorSeconds)
        Self.limit(RLIMIT_CORE, 0)
        Self.limit(RLIMIT_FSIZE, 0)
        let paths = (readable + Self.systemPaths).map { strdup($0) }
        defer { paths.forEach { free($0) } }
        // Sound: the texts live until the call returns, and the call keeps no other pointer.
        let held = paths.map { UnsafePointer($0) }.withUnsafeBufferPointer { paths in
            csandbox_enter(paths.baseAddress, paths.count, threads)
        }
        return Self.protections(held)
    }

    /// The protections of system calls and files that this machine's kernel lacks. The program that starts the process can count its
    /// threads.
    public static var missingProtections: [Protection] {
        let available = protections(csandbox_available())
        return [.systemCalls, .files].filter { !available.contains($0) }
    }

    private static func protections(_ bits: Int32) -> Set<Protection> {
        var protections: Set<Protection> = []
        if bits & CSandboxSystemCalls != 0 { protections.insert(.systemCalls) }
        if bits & CSandboxFiles != 0 { protections.insert(.files) }
        if bits & CSandboxThreads != 0 { protections.insert(.threads) }
        return protections
    }

    /// Files that libraries read while they work: other libraries, time zones, and information about processors and
    /// memory.
    private static let systemPaths = [
        "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/lib", "/lib64", "/etc/ld.so.cache",
        "/etc/localtime", "/dev/null", "/dev/urandom", "/proc/self/auxv", "/proc/self/cgroup", "/proc/self/maps",
        "/proc/self/stat", "/proc/self/statm", "/proc/self/status", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
        "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu",
    ]

    #if canImport(Darwin)
        private static func limit(_ resource: Int32, _ value: Int) {
            var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
            setrlimit(resource, &limit)
        }
    #else
        private static func limit(_ resource: __rlimit_resource, _ value: Int) {
            var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
            setrlimit(Int32(resource.rawValue), &limit)
        }
    #endif
}

import CSandbox
import Foundation

/// What a process may still do once it begins to read what strangers sent.
///
/// It may compute within limits, read the files that it was told, and write to what is open already, such as its standard
/// output. It may write no files and start no processes or programs, reach no network, and signal nobody else. One mistake in a
/// library that reads models or pictures is then no way to the hub's keys.
///
/// On Linux the limits of the system do a part of it, Landlock (Linux 5.13) and seccomp the rest. Elsewhere only the limits hold.
public struct ProcessSandbox: Sendable {
    /// Address space in bytes. The runtime of models maps more than it uses.
    public var addressSpace = 4 << 30
    /// Time on processors in seconds.
    public var processorSeconds = 60
    /// The files and folders that may be read.
    public var readable: [String]

    /// A sandbox in which some files and folders may be read, besides those of the system's libraries and devices.
    public init(reading paths: [String]) {
        readable = paths
    }

    /// A protection that not every kernel has.
    public enum Protection: String, Sendable, CaseIterable {
        /// No new files, processes, programs, sockets or signals to others.
        case systemCalls = "system calls (seccomp)"
        /// No files but those that may be read.
        case files = "files (Landlock, Linux 5.13)"
    }

    /// Enters the sandbox; there is no way out. To be called on the main thread before there are others, and after libraries are
    /// loaded.
    ///
    /// - Returns: the protections that hold.
    @discardableResult public func enter() -> Set<Protection> {
        Self.limit(RLIMIT_AS, addressSpace)
        Self.limit(RLIMIT_CPU, processorSeconds)
        Self.limit(RLIMIT_CORE, 0)
        Self.limit(RLIMIT_FSIZE, 0)
        let paths = (readable + Self.systemPaths).map { strdup($0) }
        defer { paths.forEach { free($0) } }
        // Sound: the texts live until the call is over, which copies nothing else.
        let held = paths.map { UnsafePointer($0) }.withUnsafeBufferPointer { paths in
            csandbox_enter(paths.baseAddress, paths.count)
        }
        return Self.protections(held)
    }

    /// The protections that this machine's kernel does not have.
    public static var missingProtections: [Protection] {
        let available = protections(csandbox_available())
        return Protection.allCases.filter { !available.contains($0) }
    }

    private static func protections(_ bits: Int32) -> Set<Protection> {
        var protections: Set<Protection> = []
        if bits & CSandboxSystemCalls != 0 { protections.insert(.systemCalls) }
        if bits & CSandboxFiles != 0 { protections.insert(.files) }
        return protections
    }

    /// What libraries read while they work: other libraries, time zones, and facts about processors and memory.
    private static let systemPaths = [
        "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/lib", "/lib64", "/etc/ld.so.cache",
        "/etc/localtime", "/dev/null", "/dev/urandom", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
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

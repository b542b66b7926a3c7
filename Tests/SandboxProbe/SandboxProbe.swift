import Foundation
import ProcessSandbox

/// Enters a sandbox and tries what must not work there, and what must: `SandboxProbe READABLE FORBIDDEN PORT`. With the single
/// argument `threads`, it starts as many threads as it can, at most 2,000, and then waits for its end.
///
/// Standard output has a line for each attempt, `NAME ok` or `NAME failed`.
@main
enum SandboxProbe {
    static func main() {
        let arguments = CommandLine.arguments
        if arguments.dropFirst() == ["threads"] { startsThreads() }
        guard arguments.count == 4, let port = UInt16(arguments[3]) else { exit(64) }
        let (readable, forbidden) = (arguments[1], arguments[2])
        let held = ProcessSandbox(reading: [readable]).enter()
        for protection in ProcessSandbox.Protection.allCases { say("\(protection)", held.contains(protection)) }
        say("read", opens(readable, O_RDONLY))
        say("readForbidden", opens(forbidden, O_RDONLY))
        say("readEnvironmentOfParent", opens("/proc/\(getppid())/environ", O_RDONLY))
        say("write", opens(readable, O_WRONLY))
        say("create", opens(forbidden + ".new", O_WRONLY | O_CREAT))
        say("remove", unlink(forbidden) == 0)
        say("rename", rename(forbidden, forbidden + ".moved") == 0)
        say("makeFolder", mkdir(forbidden + ".folder", 0o700) == 0)
        say("fork", forks())
        say("spawn", spawns())
        say("socket", connects(to: port))
        say("signal", kill(getppid(), 0) == 0)
        say("signalByDescriptor", asksForSignals())
        say("setPriorityOfParent", setsPriorityOfParent())
        say("readConnections", opens("/proc/self/net/tcp", O_RDONLY))
        say("raiseLimit", raisesLimit())
        say("thread", startsThread())
        say("descriptorFlags", fcntl(1, F_SETFL, fcntl(1, F_GETFL)) == 0 && fcntl(1, F_DUPFD_CLOEXEC, 3) >= 0)
    }

    private static func say(_ name: String, _ isDone: Bool) {
        FileHandle.standardOutput.write(Data("\(name) \(isDone ? "ok" : "failed")\n".utf8))
    }

    private static func opens(_ path: String, _ flags: Int32) -> Bool {
        let descriptor = open(path, flags, 0o600)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    /// Swift hides `fork`, but an attacker in a process calls what it likes.
    private static func forks() -> Bool {
        guard let symbol = dlsym(nil, "fork") else { return false }
        let child = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
        if child == 0 { _exit(0) }
        return child > 0
    }

    private static func spawns() -> Bool {
        var child = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(arguments[0]) }
        return posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil) == 0
    }

    /// Asks the kernel to send the parent a signal when a pipe is readable. No byte is written, so no signal is sent.
    private static func asksForSignals() -> Bool {
        let signalCommand: Int32 = 10  // F_SETSIG of Linux, which Swift does not have.
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        defer { ends.forEach { close($0) } }
        return fcntl(ends[0], F_SETOWN, getppid()) == 0 || fcntl(ends[0], signalCommand, SIGURG) == 0
            || fcntl(ends[0], F_SETFL, O_ASYNC) == 0
    }

    private static func setsPriorityOfParent() -> Bool {
        let (process, parent) = (__priority_which_t(PRIO_PROCESS.rawValue), id_t(getppid()))
        return setpriority(process, parent, getpriority(process, parent)) == 0
    }

    private static func connects(to port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func raisesLimit() -> Bool {
        var limit = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
        return setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit) == 0
    }

    private static func startsThreads() -> Never {
        let held = ProcessSandbox(reading: []).enter()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 64 << 10)
        var count = 0
        var thread = pthread_t()
        while count < 2000,
            pthread_create(&thread, &attributes, { _ in while true { sleep(60) } }, nil) == 0
        { count += 1 }
        say("threads", held.contains(.threads))
        FileHandle.standardOutput.write(Data("\(count)\n".utf8))
        // A process above the hub's own limit is ended meanwhile.
        sleep(2)
        exit(0)
    }

    private static func startsThread() -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread { isDone.signal() }
        return isDone.wait(timeout: .now() + 60) == .success
    }
}

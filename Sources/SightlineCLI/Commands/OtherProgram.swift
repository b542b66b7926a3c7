import CommandLineSupport
import Foundation

/// A program beside this one that does the work of a command. Linking a server into this program would slow down every start of it.
struct OtherProgram {
    /// The name of the program, and of the Debian package that has it.
    let name: String

    private var path: String {
        let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        return folder?.appending(path: name).path ?? name
    }

    /// Replaces this process by the program.
    ///
    /// - Throws: an exit code after a message, if the program is missing.
    func replaceProcess(arguments: [String]) throws -> Never {
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        // Blocked signals would stay blocked in the other program.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_DFL)
        // The call returns only if it fails, and needs nil after the last word.
        execv(path, &words)
        throw missing()
    }

    /// The place to which the program writes its results. Its messages go to standard error.
    enum Output {
        case standardOutput, standardError, nowhere
        /// A file of this process, which stays open in it.
        case file(Int32)
    }

    /// Runs the program to its end. Ctrl-C ends it, and then this process.
    ///
    /// - Returns: The program's exit code, or 128 and the number of the signal that ended it.
    /// - Throws: an exit code after a message, if the program is missing.
    func run(_ arguments: [String], output: Output) async throws -> Int32 {
        let process = try start(arguments, output)
        let status = await Termination.stopping(by: { kill(process, SIGTERM) }) {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    var status: Int32 = 0
                    while waitpid(process, &status, 0) < 0, errno == EINTR {}
                    continuation.resume(returning: status)
                }
            }
        }
        if let signal = Termination.stopSignal { throw ExitStatus.stopped(bySignal: signal) }
        // The lower seven bits are the signal; the exit code lies above eight.
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Runs the program to its end, and waits for it: for what a command needs before it begins.
    ///
    /// - Returns: The program's standard output.
    /// - Throws: an exit code after a message, if the program is missing, or if a signal ended it.
    func reply(to arguments: [String]) throws -> Data {
        let pipe = Pipe()
        let process: pid_t
        do {
            // The program's end of the pipe must not stay open here.
            defer { try? pipe.fileHandleForWriting.close() }
            for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
            process = try start(arguments, .file(pipe.fileHandleForWriting.fileDescriptor))
        }
        let reply = try? pipe.fileHandleForReading.readToEnd()
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // A program that ends by itself says why.
        let signal = status & 0x7F
        guard signal == 0 else {
            StandardError.report("\(name) was ended by signal \(signal) before it had an answer; try again.")
            throw ExitStatus.failure.code
        }
        return reply ?? Data()
    }

    private func start(_ arguments: [String], _ output: Output) throws -> pid_t {
        #if canImport(Darwin)
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
        #else
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        switch output {
        case .standardOutput: break
        case .file(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO)
        case .standardError: posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        case .nowhere: posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        }
        // Signals that are blocked or ignored here would stay so in the other program.
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        sigaddset(&usual, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, &attributes, &words, environ) == 0 else { throw missing() }
        return process
    }

    private func missing() -> any Error {
        StandardError.report(
            "\(path) is missing; install the Debian package \(name), or that program beside `sightline`."
        )
        return ExitStatus.failure.code
    }
}

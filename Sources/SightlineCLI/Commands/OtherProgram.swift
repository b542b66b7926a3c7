import CommandLineSupport
import Foundation

/// A program beside this one that does the work of a command. Linking a server into this program would slow down every start of it.
struct OtherProgram {
    /// The name of the program, and of the Debian package that has it.
    let name: String

    /// Replaces this process by the program.
    ///
    /// - Throws: an exit code after a message, if the program is missing.
    func replaceProcess(arguments: [String]) throws -> Never {
        let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        let program = folder?.appending(path: name).path ?? name
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        // Blocked signals would stay blocked in the other program.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_DFL)
        // The call returns only if it fails, and needs nil after the last word.
        execv(program, &words)
        StandardError.report(
            "\(program) is missing; install the Debian package \(name), or that program beside `sightline`."
        )
        throw ExitStatus.failure.code
    }
}

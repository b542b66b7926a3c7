import ArgumentParser
import CommandLineSupport
import Foundation

/// Replaces this process by the program `sightline-hub`. Linking the server into this program would slow down every start of it.
struct HubCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub",
        abstract: "Host models for apps, in place of Firebase ML.",
        // The other program has its own help.
        helpNames: []
    )

    @Argument(parsing: .captureForPassthrough, help: "A command of the hub; `sightline hub --help` lists them.")
    var arguments: [String] = []

    func run() throws {
        let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        let program = folder?.appending(path: "sightline-hub").path ?? "sightline-hub"
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        // Blocked signals would stay blocked in the other program.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_DFL)
        // The call returns only if it fails, and needs nil after the last word.
        execv(program, &words)
        StandardError.report(
            "\(program) is missing; install the Debian package sightline-hub, or that program beside `sightline`."
        )
        throw ExitStatus.failure.code
    }
}

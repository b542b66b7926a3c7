import ArgumentParser
import CommandLineSupport
import Foundation

/// Hands over to the program beside this one: a server that were linked into this one would slow down every start of it.
struct HubCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub",
        abstract: "Host models and ship them to clients, in place of Firebase ML.",
        // The other program has its own help.
        helpNames: []
    )

    @Argument(parsing: .captureForPassthrough, help: "What `sightline hub --help` lists.")
    var arguments: [String] = []

    func run() throws {
        let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        let program = folder?.appending(path: "sightline-hub").path ?? "sightline-hub"
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        // The signals that this process holds back would stay held back in the program that takes its place.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_DFL)
        // Returns only if it fails. The words end with nil, as the call wants them.
        execv(program, &words)
        StandardError.report("\(program) is missing; install it beside `sightline`, both belong together.")
        throw ExitStatus.failure.code
    }
}

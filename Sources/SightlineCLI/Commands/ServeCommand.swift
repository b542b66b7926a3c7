import ArgumentParser

/// Replaces this process by the program `sightline-serve`.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answer over HTTP which objects are in pictures.",
        // The other program has its own help.
        helpNames: []
    )

    @Argument(parsing: .captureForPassthrough, help: "Options of the server; `sightline serve --help` lists them.")
    var arguments: [String] = []

    func run() throws { try OtherProgram(name: "sightline-serve").replaceProcess(arguments: arguments) }
}

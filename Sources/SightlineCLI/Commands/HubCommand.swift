import ArgumentParser

/// Replaces this process by the program `sightline-hub`.
struct HubCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub",
        abstract: "Host models for apps, in place of Firebase ML.",
        // The other program has its own help.
        helpNames: []
    )

    @Argument(parsing: .captureForPassthrough, help: "A command of the hub; `sightline hub --help` lists them.")
    var arguments: [String] = []

    func run() throws { try OtherProgram(name: "sightline-hub").replaceProcess(arguments: arguments) }
}

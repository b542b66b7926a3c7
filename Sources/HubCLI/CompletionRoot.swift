import ArgumentParser
import CommandLineSupport
import Foundation

/// `sightline` with the single command `hub`, for completions.
///
/// People type `sightline hub`, but `sightline` does not know the hub's commands. `Scripts/make-completions` puts the functions
/// of this script into the script of `sightline`.
struct CompletionRoot: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sightline", subcommands: [Hub.self])

    struct Hub: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "hub",
            abstract: HubCommand.configuration.abstract,
            version: HubCommand.configuration.version,
            subcommands: HubCommand.configuration.subcommands
        )
    }

    /// The option of swift-argument-parser that prints a script.
    static let option = "--generate-completion-script"

    static func printScript(shell name: String?) {
        guard let shell = name.flatMap(CompletionShell.init(rawValue:)) else {
            StandardError.report("\(option) needs the name of a shell: bash, zsh or fish.")
            Foundation.exit(ExitStatus.usage.rawValue)
        }
        print(completionScript(for: shell))
    }
}

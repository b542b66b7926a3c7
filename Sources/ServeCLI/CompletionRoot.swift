import ArgumentParser
import CommandLineSupport
import Foundation

/// `sightline` with the single command `serve`, for completions.
///
/// People type `sightline serve`, but `sightline` does not know the server's options. `Scripts/make-completions` puts the functions
/// of this script into the script of `sightline`.
struct CompletionRoot: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sightline", subcommands: [Serve.self])

    struct Serve: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve",
            abstract: ServeCommand.configuration.abstract,
            version: ServeCommand.configuration.version
        )

        @OptionGroup var options: ServeOptions
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

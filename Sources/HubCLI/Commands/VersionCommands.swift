import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import ModelHubServer
import TextFormatting

/// The alias of the version that a command works on.
struct AliasOption: ParsableArguments {
    @Option(help: "The alias of the version: production for the served version, staging, or your own alias.")
    var alias = ModelAlias.production
}

struct PromoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Serve a version of a model: the staged version, or an earlier version again.",
        discussion: """
            Clients receive the version, with its threshold, with their next check for updates. `sightline hub show NAME` lists \
            the versions. To go back, promote an earlier version. If the version has other labels, the command \
            lists those that are added, removed and renamed before it serves the version, and asks on a terminal.

            Examples:
              sightline hub promote plants
              sightline hub promote plants 1

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name or id.")
    var name: String
    @Argument(help: "The version (default: the staged version).")
    var version: Int?
    @Flag(help: "Do not ask about other labels.")
    var yes = false

    func run() async throws {
        let details = try await reporting {
            let connection = try await location.connect()
            let before = try await connection.details(of: name)
            if let new = version ?? before.aliases[.staging], let old = before.servedVersion,
                let labels = before.labelDifference(from: old, to: new)
            {
                let lines = labels.lines.map { "  \(TerminalText.printable($0))\n" }.joined()
                StandardError.write("Version \(new) has other labels than version \(old):\n\(lines)")
                if !yes, isatty(STDIN_FILENO) == 1 { try Self.ask("Serve version \(new)?") }
            }
            return try await connection.promoteWarning(name, to: version)
        }
        StandardOutput.writeLine("\(name): serves version \(details.servedVersion ?? 0)")
        if details.model.state?.published != true {
            StandardError.report("\(name) is not published; `sightline hub publish \(name)` lets clients download it.")
        }
    }
}

extension PromoteCommand {
    /// Asks on the terminal, and ends the command unless the user agrees.
    private static func ask(_ question: String) throws {
        StandardError.write("\(question) [y/N] ")
        let answer = (readLine() ?? "").trimmingCharacters(in: .whitespaces).lowercased()
        guard ["y", "yes"].contains(answer) else {
            StandardError.report("Nothing was changed.")
            throw ExitStatus.incomplete.code
        }
    }
}

struct AliasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alias",
        abstract: "Give a version of a model a name that clients ask for.",
        discussion: """
            The alias production always names the served version: `sightline hub promote` moves it. The alias staging names the \
            staged version. A model can have 20 other aliases: up to 63 lower-case letters, digits and hyphens each, beginning \
            with a letter. `sightline hub show NAME` lists them.

            Examples:
              sightline hub alias set plants beta 3
              sightline hub alias set plants staging 2
              sightline hub alias remove plants beta
            """,
        subcommands: [Set.self, Remove.self]
    )

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Let an alias name a version.",
            discussion: """
                Clients that ask for the alias receive the version with their next check for updates.

                Example:
                  sightline hub alias set plants beta 3

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The model's name or id.")
        var name: String
        @Argument(help: "The alias.")
        var alias: ModelAlias
        @Argument(help: "The version.")
        var version: Int

        func run() async throws {
            try await reporting { try await location.connect().setAlias(alias, of: name, to: version) }
            StandardOutput.writeLine("\(name): \(alias) is version \(version)")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an alias.",
            discussion: """
                Clients that ask for the alias receive an error from then on. Without the alias staging, they receive the served \
                version.

                Example:
                  sightline hub alias remove plants beta

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The model's name or id.")
        var name: String
        @Argument(help: "The alias.")
        var alias: ModelAlias

        func run() async throws {
            try await reporting { try await location.connect().removeAlias(alias, of: name) }
            StandardOutput.writeLine("\(name): \(alias) is removed")
        }
    }
}

struct DownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Download a version of a model as clients do.",
        discussion: """
            The command compares the download with the hub's hash, and replaces an existing file only by a complete download. \
            If a download from a hub on the network stops, the next one resumes it.

            Examples:
              sightline hub download plants
              sightline hub download plants --output models/plants.tflite
              sightline hub download plants --alias staging

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name.")
    var name: String
    @OptionGroup var version: AliasOption
    @Option(
        name: .shortAndLong,
        help: "The file to write (default: NAME.tflite, or NAME.onnx for an ONNX model).",
        completion: .file()
    )
    var output: String?

    func run() async throws {
        let path = try await reporting {
            let connection = try await location.connect()
            let stem = name.replacing("/", with: "_")
            return try await connection.downloadModel(name, alias: version.alias) { format in
                URL(filePath: output ?? "\(stem).\(format.fileExtension)")
            }.file.relativePath
        }
        StandardOutput.writeExactly(path + "\n")
    }
}

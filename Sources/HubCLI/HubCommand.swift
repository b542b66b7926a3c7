import ArgumentParser
import CommandLineSupport
import Foundation

/// The program: a command for people, or a worker that the hub starts as a separate process.
@main
enum Program {
    static func main() {
        ProcessArguments.require()
        if WorkerCommand.handles(CommandLine.arguments) { return WorkerCommand.main() }
        if CommandLine.arguments.dropFirst().first == CompletionRoot.option {
            return CompletionRoot.printScript(shell: CommandLine.arguments.dropFirst(2).first)
        }
        Task {
            await HubCommand.main()
            exit(0)
        }
        dispatchMain()
    }
}

struct HubCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sightline hub",
        abstract: "Host models for apps, in place of Firebase ML.",
        discussion: """
            A hub keeps all its data in one folder: the folder of --data or SIGHTLINE_HUB_DATA, otherwise \
            ${XDG_DATA_HOME:-~/.local/share}/sightline/hub. Commands work on that folder, also while the hub serves it, or on a \
            hub on the network with --hub URL, after `sightline hub sign-in` or with --token-file FILE (or SIGHTLINE_HUB and \
            SIGHTLINE_HUB_TOKEN).

            Examples:
              sightline hub project create my-plants
              sightline hub serve --port 8080
              sightline hub publish plants model.tflite --labels dict.txt
              sightline hub key create --api-key ios-app
              sightline hub evaluate plants flowers/ --store-threshold
              sightline hub promote plants 1
            """,
        version: SightlineVersion.current,
        subcommands: [
            ServeCommand.self, ConsoleCommand.self, ProjectCommand.self, PersonCommand.self, KeyCommand.self,
            TokenCommand.self, SessionCommand.self, SignInCommand.self, SignOutCommand.self, PublishCommand.self,
            UnpublishCommand.self,
            ListCommand.self, ShowCommand.self, PromoteCommand.self, AliasCommand.self, SignCommand.self,
            ManifestCommand.self,
            DeleteCommand.self,
            DownloadCommand.self,
            EvaluateCommand.self, DataSetCommand.self, TrainCommand.self,
            AuditCommand.self, BackupCommand.self, RestoreCommand.self, MigrateCommand.self, VerifyCommand.self,
            CleanCommand.self,
            ImportCommand.self, ConfigCommand.self, ExperimentCommand.self, RolloutCommand.self, WebhookCommand.self,
        ]
    )

    /// Runs the command of this process.
    static func main() async {
        MachineLimits.check(files: 64)
        // The parser would replace bytes that are not UTF-8 and read a different name.
        for index in stride(from: 1, to: Int(CommandLine.argc), by: 1) {
            guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { continue }
            StandardError.report("\(String(cString: word)) is not UTF-8; rename the file.")
            Foundation.exit(ExitStatus.usage.rawValue)
        }
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try await asyncParseAsRoot(CommandTree(Self.self).withHelpFirst(words))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            await OpenHubs.close()
        } catch {
            await OpenHubs.close()
            end(with: error, of: words)
        }
    }

    static let exitCodes = ExitStatus.help()
}

/// The reason why a command failed, in one sentence.
struct CommandError: Error, CustomStringConvertible {
    let description: String
    /// Whether the same request may succeed later.
    let isTransient: Bool

    init(_ description: String, isTransient: Bool = false) {
        (self.description, self.isTransient) = (description, isTransient)
    }
}

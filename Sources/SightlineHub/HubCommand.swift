import ArgumentParser
import Foundation

/// The program: a command of the hub, or what the hub runs in a process of its own.
@main
enum Program {
    static func main() {
        if WorkerCommand.handles(CommandLine.arguments) { return WorkerCommand.main() }
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
        abstract: "Host models and ship them to clients, in place of Firebase ML.",
        discussion: """
            A hub keeps everything in one folder, ${XDG_DATA_HOME:-~/.local/share}/sightline/hub unless --data or \
            SIGHTLINE_HUB_DATA names another. Commands work on that folder, also while the hub serves it, or on a hub \
            elsewhere with --hub URL --token TOKEN (or SIGHTLINE_HUB and SIGHTLINE_HUB_TOKEN).

            Examples:
              sightline hub project create my-plants
              sightline hub serve --port 8080
              sightline hub publish plants model.tflite --labels dict.txt
              sightline hub key create --api-key ios-app
              sightline hub evaluate plants flowers/ --store-threshold
              sightline hub rollback plants --to 1
            """,
        subcommands: [
            ServeCommand.self, ConsoleCommand.self, SessionCommand.self, ProjectCommand.self, KeyCommand.self,
            PublishCommand.self,
            UnpublishCommand.self,
            ListCommand.self, ShowCommand.self, RollbackCommand.self, DeleteCommand.self, DownloadCommand.self,
            EvaluateCommand.self,
            AuditCommand.self, BackupCommand.self, RestoreCommand.self, VerifyCommand.self, CleanCommand.self,
            ImportCommand.self, ConfigCommand.self, ExperimentCommand.self,
        ]
    )

    /// Runs the command of this process.
    static func main() async {
        // The parser would take another name in place of one that is not UTF-8.
        for index in stride(from: 1, to: Int(CommandLine.argc), by: 1) {
            guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { continue }
            let message = "sightline: \(String(cString: word)) is not UTF-8; rename the file.\n"
            try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
            Foundation.exit(64)
        }
        await main(nil)
    }

    static let exitCodes = "Exit codes: 0 done; 2 it could not be done; 64 the command line is wrong."
}

/// Why a command ends with an error, in one sentence.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Does something; what is wrong with it is said on standard error.
///
/// - Throws: exit code 2 after saying why.
func attempting<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as ExitCode {
        throw error
    } catch {
        try? FileHandle.standardError.write(contentsOf: Data("sightline: \(error)\n".utf8))
        throw ExitCode(2)
    }
}

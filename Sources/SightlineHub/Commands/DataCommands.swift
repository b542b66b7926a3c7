import ArgumentParser
import Foundation
import ModelHubServer

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy all of a hub into a folder, also while it serves.",
        discussion: """
            A backup into the same folder again copies only what is new. It is whole at every moment: the records are put in \
            place last. It holds the key that signs tokens and addresses, so that its files are readable by their owner alone; \
            keep other copies of it as safe.

            Example:
              sightline hub backup /mnt/backup/hub

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: DataOption
    @Argument(help: "The folder of the backup.", completion: .directory)
    var folder: String

    func run() async throws {
        let backup = try await attempting { try await location.openExistingHub().backUp(to: URL(filePath: folder)) }
        print("\(folder): \(backup.copiedFiles) new files")
        guard backup.isFolderOpenToOthers else { return }
        let warning =
            "sightline: warning: Other users can list \(folder). They cannot read the files in it; `chmod 700 \(folder)` keeps them out "
            + "altogether.\n"
        try FileHandle.standardError.write(contentsOf: Data(warning.utf8))
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a hub of a backup, in a folder that has none.",
        discussion: """
            Every file is compared with its hash before the records are put in place. A backup with a damaged file or with links \
            in place of files is refused.

            Example:
              sightline hub restore /mnt/backup/hub --data /var/lib/sightline-hub

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: DataOption
    @Argument(help: "The folder of the backup.", completion: .directory)
    var folder: String

    func run() async throws {
        let verification = try await attempting {
            try Hub.restore(from: URL(filePath: folder), to: location.folder)
            return try await location.openExistingHub().verify()
        }
        try verification.report()
    }
}

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read every file and record of a hub and check them, also while it serves.",
        discussion: """
            Example:
              sightline hub verify

            Exit codes: 0 all is right; 1 something is damaged, and the output says what; 2 it cannot be checked; 64 the \
            command line is wrong.
            """
    )
    @OptionGroup var location: DataOption
    @Flag(help: "Print the result as a line of JSON.")
    var json = false

    func run() async throws {
        let verification = try await attempting { try await location.openExistingHub().verify() }
        if json {
            print(try JSONLines.text(verification))
            if !verification.problems.isEmpty { throw ExitCode(1) }
        } else {
            try verification.report()
        }
    }
}

struct CleanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clean",
        abstract: "Remove files that nothing refers to any more; a hub that serves does so every hour.",
        discussion: """
            Files stay for a day after the last model that had them was deleted, and uploads that no model uses for 30 days.

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: DataOption

    func run() async throws {
        let removed = try await attempting { try await location.openExistingHub().cleanUp() }
        print("removed \(removed.objects) uploads and \(removed.blobs) files")
    }
}

extension Verification {
    /// Prints what was found.
    ///
    /// - Throws: exit code 1 if something is wrong.
    fileprivate func report() throws {
        for problem in problems { print(problem) }
        print(
            "\(intactFiles) files are whole, \(unreferencedFiles) of them unused; "
                + (problems.isEmpty ? "no problems" : "\(problems.count) problems")
        )
        if !problems.isEmpty { throw ExitCode(1) }
    }
}

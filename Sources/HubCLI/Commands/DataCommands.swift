import ArgumentParser
import CommandLineSupport
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
        let backup = try await reporting { try await location.openExistingHub().backUp(to: URL(filePath: folder)) }
        StandardOutput.writeLine("\(folder): \(backup.copiedFiles) new files")
        guard backup.isFolderOpenToOthers else { return }
        StandardError.report(
            "warning: Other users can list \(folder), but cannot read its files. Run `chmod 700 \(folder)` to keep them out."
        )
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
        let verification = try await reporting {
            try Hub.restore(from: URL(filePath: folder), to: location.folder)
            return try await location.openExistingHub().verify()
        }
        try verification.report(as: .table)
    }
}

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read every file and record of a hub and check them, also while it serves.",
        discussion: """
            Example:
              sightline hub verify

            \(ExitStatus.help(
                success: "the hub is intact",
                incomplete: "the hub is damaged, and the output lists the problems",
                failure: "the hub cannot be checked"
            ))
            """
    )
    @OptionGroup var location: DataOption
    @Option(help: "How to print the result.")
    var format = OutputFormat.table

    func run() async throws {
        let verification = try await reporting { try await location.openExistingHub().verify() }
        try verification.report(as: format)
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
        let removed = try await reporting { try await location.openExistingHub().cleanUp() }
        StandardOutput.writeLine("removed \(removed.objects) uploads and \(removed.blobs) files")
    }
}

extension Verification {
    /// Prints the result.
    ///
    /// - Throws: exit code 1 if there are problems.
    fileprivate func report(as format: OutputFormat) throws {
        try format.print(self) {
            problems.map { $0 + "\n" }.joined()
                + "\(intactFiles) files are whole, \(unreferencedFiles) of them unused; "
                + (problems.isEmpty ? "no problems\n" : "\(problems.count) problems\n")
        }
        if !problems.isEmpty { throw ExitStatus.incomplete.code }
    }
}

import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubServer
import TextFormatting

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a hub into a folder, even while it serves.",
        discussion: """
            A second backup into the same folder copies only new files. The backup is complete at every moment, because its \
            records are written last. Before that, SQLite checks the copied records, and all files of the backup are read and \
            compared with their hashes; files that have decayed there are copied again. With --verify, the command checks a \
            backup in this way at any later time, and changes nothing. A backup contains the key that signs tokens and \
            addresses, so only its owner can read its files; keep further copies equally safe.

            Examples:
              sightline hub backup /mnt/backup/hub
              sightline hub backup --verify /mnt/backup/hub

            \(ExitStatus.help(
                success: "the backup is complete",
                incomplete: "with --verify, the backup is damaged, and the output lists the problems",
                failure: "no backup was written or checked"
            ))
            """
    )
    @OptionGroup var location: DataOption
    @Argument(help: "The folder of the backup.", completion: .directory)
    var folder: String
    @Flag(help: "Check the backup in the folder, and write nothing.")
    var verify = false

    func run() async throws {
        if verify {
            let verification = try await reporting { try await Hub.verifyBackup(URL(filePath: folder)) }
            return try verification.report(as: .table, readsFiles: true)
        }
        let backup = try await reporting { try await location.openExistingHub().backUp(to: URL(filePath: folder)) }
        let replaced =
            backup.replacedFiles == 0 ? "" : "; \(NumberText.count(backup.replacedFiles, "damaged file")) copied again"
        StandardOutput.writeLine(
            "\(folder): \(NumberText.count(backup.copiedFiles, "new file")), \(NumberText.count(backup.wholeFiles, "whole file"))\(replaced)"
        )
        guard backup.isFolderOpenToOthers else { return }
        StandardError.report(
            "warning: Other users can list \(folder), but cannot read its files. Run `chmod 700 \(folder)` to keep them out."
        )
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup into an empty folder.",
        discussion: """
            The command compares every file with its hash before it writes the records. It refuses a backup with a damaged file \
            or with links in place of files. `sightline hub migrate` copies a backup into a database or a bucket.

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
            let storage = try location.storage()
            guard storage.database == nil, storage.bucket == nil else {
                throw CommandError(
                    "A backup is restored into a folder, but a \(storage.database == nil ? "bucket" : "database") was named; copy the backup there with `sightline hub migrate --from \(folder) --to postgres://…,s3://…`, or unset SIGHTLINE_HUB_DATABASE and SIGHTLINE_HUB_BLOBS."
                )
            }
            try await Hub.restore(from: URL(filePath: folder), to: location.folder)
            return try await location.openExistingHub().verify()
        }
        try verification.report(as: .table, readsFiles: true)
    }
}

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check the files and records of a hub, even while it serves.",
        discussion: """
            The command compares the records with each other, and with the names and sizes of the files. With --deep it also \
            reads every file and compares it with its hash.

            Example:
              sightline hub verify --deep

            \(ExitStatus.help(
                success: "the hub is intact",
                incomplete: "the hub is damaged, and the output lists the problems",
                failure: "the hub cannot be checked"
            ))
            """
    )
    @OptionGroup var location: DataOption
    @Flag(help: "Read every file.")
    var deep = false
    @Option(help: "How to print the result.")
    var format = OutputFormat.table

    func run() async throws {
        let verification = try await reporting { try await location.openExistingHub().verify(readingFiles: deep) }
        try verification.report(as: format, readsFiles: deep)
    }
}

struct CleanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clean",
        abstract: "Remove unused files. A serving hub does this every hour.",
        discussion: """
            A file is kept for one day after its last model is deleted, and an upload that no model uses for 30 days.

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: DataOption

    func run() async throws {
        let removed = try await reporting { try await location.openExistingHub().cleanUp() }
        StandardOutput.writeLine(
            "removed \(NumberText.count(removed.objects, "upload")) and \(NumberText.count(removed.blobs, "file"))"
        )
    }
}

extension Verification {
    /// Prints the result.
    ///
    /// - Throws: exit code 1 if there are problems.
    func report(as format: OutputFormat, readsFiles: Bool) throws {
        func files(_ count: Int) -> String {
            readsFiles ? NumberText.count(count, "whole file") : "\(NumberText.count(count, "file")) of the right size"
        }
        try format.print(self) {
            problems.map { $0 + "\n" }.joined()
                + "\(files(intactFiles)), \(unreferencedFiles) of them unused; "
                + (problems.isEmpty ? "no problems\n" : "\(NumberText.count(problems.count, "problem"))\n")
        }
        if !problems.isEmpty { throw ExitStatus.incomplete.code }
    }
}

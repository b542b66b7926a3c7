import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import ModelHubServer

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Copy a hub with all records and files to another place, even while it serves.",
        discussion: """
            A place is a folder, or the addresses of a PostgreSQL database and a bucket with a comma between them. A backup is also such \
            a folder. The target must not have a project. Files that it has are not copied again, and the records appear \
            last and all at once, so an interrupted command can be repeated. Unfinished uploads are not copied, and neither are changes that \
            the hub accepts after the command has begun.

            Examples:
              sightline hub migrate --from /var/lib/sightline-hub \\
                --to postgres://hub@db.example.org/hub,s3://models/hub
              sightline hub migrate \\
                --from postgres://hub@db.example.org/hub,s3://models/hub --to hub

            \(ExitStatus.help(
                success: "the copy is complete",
                incomplete: "the copy is complete but damaged, and the output lists the problems",
                failure: "the hub cannot be copied"
            ))
            """
    )

    @Option(help: ArgumentHelp("The hub to copy.", valueName: "place"), completion: .directory)
    var from: String
    @Option(help: ArgumentHelp("The place of the copy.", valueName: "place"), completion: .directory)
    var to: String
    @Option(help: "How to print the result.")
    var format = OutputFormat.table

    func run() async throws {
        let verification = try await reporting {
            try await PrivateFolder.with { scratch in
                let origin = try HubStorage(from, scratch: scratch.appending(path: "from"))
                guard origin.mayExist else {
                    throw CommandError(
                        "There is no hub in \(origin.folder.path); name the folder that contains its hub.sqlite."
                    )
                }
                let source = try await origin.open()
                let target = try await HubStorage(to, scratch: scratch.appending(path: "to")).open()
                var line = ProgressLine()
                defer { line.clear() }
                return try await source.copy(to: target) { done, all in
                    line.show { "\(ProgressLine.bar(Double(done) / Double(all))) \(done)/\(all) files" }
                }.verification
            }
        }
        try verification.report(as: format, readsFiles: false)
    }
}

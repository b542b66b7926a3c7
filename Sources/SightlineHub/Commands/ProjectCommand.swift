import ArgumentParser
import CommandOutput
import Foundation
import ModelHubServer

struct ProjectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "project",
        abstract: "Make, list, change and delete projects, on the hub's machine.",
        discussion: """
            Models, keys and uploads belong to projects. Give a project the id and the number that it has at Firebase: scripts \
            name the id, and Android apps the number, which is the second part of their app id.

            Examples:
              sightline hub project create my-plants
              sightline hub project create my-plants --number 987654321098
              sightline hub project set my-plants --quota 2000
              sightline hub project list --json
            """,
        subcommands: [Create.self, List.self, Set.self, Delete.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a project.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: DataOption
        @Argument(help: "6 to 30 lower-case letters, digits and hyphens, beginning with a letter.")
        var project: String
        @Option(help: "The number that it has at Firebase (default: one of the hub's own).")
        var number: Int64?
        @Option(help: "How many MB its files may have together (default: no limit).")
        var quota: Int?
        @Flag(help: "Downloads need an installation token of this hub besides the API key.")
        var requireInstallations = false

        func run() async throws {
            let made = try await attempting {
                try await location.openHub().createProject(
                    project,
                    number: number,
                    quota: quota.map { $0 * 1_000_000 },
                    requiresInstallation: requireInstallations
                )
            }
            print("\(made.id): number \(made.number), in \(location.folder.path)")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the projects.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: DataOption
        @Flag(help: "Print a line of JSON for each.")
        var json = false

        private struct Record: Encodable {
            var project: String
            var number: Int64
            var createTime: String
            var quotaBytes: Int?
            var usedBytes: Int
            var requiresInstallation: Bool
        }

        func run() async throws {
            let records = try await attempting {
                let hub = try await location.openExistingHub()
                var records: [Record] = []
                for project in try await hub.projects() {
                    records.append(
                        Record(
                            project: project.id,
                            number: project.number,
                            createTime: "\(project.createTime)",
                            quotaBytes: project.quota,
                            usedBytes: try await hub.usage(of: project).byteCount,
                            requiresInstallation: project.requiresInstallation
                        )
                    )
                }
                return records
            }
            if json { return try JSONLines.print(records) }
            let table = TextTable(
                columns: [.text("PROJECT"), .number("NUMBER"), .number("USED"), .number("QUOTA"), .text("CREATED")],
                rows: records.map { record in
                    [
                        record.project, "\(record.number)", ByteCount.text(record.usedBytes),
                        record.quotaBytes.map { ByteCount.text($0) } ?? "none", String(record.createTime.prefix(10)),
                    ]
                }
            )
            print(table.text, terminator: "")
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change the quota of a project, or whether downloads need installation tokens.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: DataOption
        @Argument(help: "The project's id.")
        var project: String
        @Option(help: "How many MB its files may have together; 0 for no limit.")
        var quota: Int?
        @Flag(inversion: .prefixedNo, help: "Downloads need an installation token of this hub besides the API key.")
        var requireInstallations: Bool?

        func run() async throws {
            try await attempting {
                let hub = try await location.openExistingHub()
                var changed = try await hub.chooseProject(project)
                if let quota { changed.quota = quota == 0 ? nil : quota * 1_000_000 }
                if let requireInstallations { changed.requiresInstallation = requireInstallations }
                try await hub.updateProject(changed)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a project that has no models, with its keys and uploads.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: DataOption
        @Argument(help: "The project's id.")
        var project: String

        func run() async throws {
            try await attempting {
                let hub = try await location.openExistingHub()
                try await hub.deleteProject(try await hub.chooseProject(project))
            }
        }
    }
}

/// Lines of JSON for programs.
enum JSONLines {
    static func print(_ records: some Sequence<some Encodable>) throws {
        for record in records { Swift.print(try text(record)) }
    }

    static func text(_ record: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(record), as: UTF8.self)
    }
}

/// A number of bytes for people.
enum ByteCount {
    static func text(_ count: Int?) -> String {
        guard let count else { return "–" }
        if count < 1000 { return "\(count) B" }
        if count < 1_000_000 { return "\(count / 1000) kB" }
        return "\((Double(count) / 100_000).rounded() / 10) MB"
    }
}

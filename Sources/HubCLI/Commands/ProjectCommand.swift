import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubServer
import TextFormatting

struct ProjectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "project",
        abstract: "Create, list, change and delete projects, on the hub's machine.",
        discussion: """
            Models, keys and uploads belong to projects. If the project exists at Firebase, use its id and its number: scripts \
            contain the id, and Android apps contain the number as the second part of their app id.

            Examples:
              sightline hub project create my-plants
              sightline hub project create my-plants --number 987654321098
              sightline hub project set my-plants --quota 2000
              sightline hub project list --format json
            """,
        subcommands: [Create.self, List.self, Set.self, Delete.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a project.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: DataOption
        @Argument(help: "6 to 30 lower-case letters, digits and hyphens, beginning with a letter.")
        var project: String
        @Option(help: "The project's number at Firebase (default: a new number).")
        var number: Int64?
        @Option(help: "The largest total size of its files in MB (default: no limit).")
        var quota: Int?
        @Flag(help: "Downloads need an installation token of this hub in addition to the API key.")
        var requireInstallations = false

        func run() async throws {
            let made = try await reporting {
                try await location.openHub().createProject(
                    project,
                    number: number,
                    quota: quota.map { $0 * 1_000_000 },
                    requiresInstallation: requireInstallations
                )
            }
            StandardOutput.writeLine("\(made.id): number \(made.number), in \(location.folder.path)")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the projects.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: DataOption
        @OptionGroup var list: ListOptions

        private struct Record: Encodable {
            var project: String
            var number: Int64
            var createTime: String
            var quotaBytes: Int?
            var usedBytes: Int
            var requiresInstallation: Bool
        }

        func run() async throws {
            let records = try await reporting {
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
            try list.format.print(records) {
                TextTable(
                    columns: [
                        .text("PROJECT"), .number("NUMBER"), .number("USED"), .number("QUOTA"), .text("CREATED"),
                    ],
                    rows: records.map { record in
                        [
                            record.project, "\(record.number)", NumberText.bytes(record.usedBytes),
                            record.quotaBytes.map { NumberText.bytes($0) } ?? "none",
                            String(record.createTime.prefix(10)),
                        ]
                    }
                ).text
            }
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
        @Option(help: "The largest total size of its files in MB; 0 for no limit.")
        var quota: Int?
        @Flag(
            inversion: .prefixedNo,
            help: "Downloads need an installation token of this hub in addition to the API key."
        )
        var requireInstallations: Bool?

        func run() async throws {
            try await reporting {
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
            try await reporting {
                let hub = try await location.openExistingHub()
                try await hub.deleteProject(try await hub.chooseProject(project))
            }
        }
    }
}

import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import ModelHubServer
import TextFormatting

struct ProjectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "project",
        abstract: "Create, list, change and delete projects.",
        discussion: """
            Models, keys and uploads belong to projects. If the project exists in Firebase, use its id and its number: scripts \
            contain the id, and Android apps contain the number as the second part of their app id. On a hub on the network, \
            administrators create projects and set quotas, and owners delete their project.

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
            commandName: "create",
            abstract: "Create a project.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubPlace
        @Argument(help: "6 to 30 lower-case letters, digits and hyphens, beginning with a letter.")
        var id: String
        @Option(help: "The project's number in Firebase (default: a new number).")
        var number: Int64?
        @Option(help: "The largest total size of its files in MB (default: no limit).")
        var quota: Int?
        @Flag(help: "Downloads need an installation token of this hub in addition to the API key.")
        var requireInstallations = false

        func run() async throws {
            let made = try await reporting {
                let input = ProjectInput(
                    projectId: id,
                    projectNumber: number.map { "\($0)" },
                    quotaBytes: try quota.map { try ProjectCommand.bytes(ofMegabytes: $0) },
                    requiresInstallation: requireInstallations
                )
                // A project that cannot be made leaves no new hub behind.
                try Project.check(id: id, number: number)
                let connection = try await location.connectToHub(beginning: true)
                return try await connection.resource(
                    ProjectResource.self,
                    .post,
                    connection.ofHub("projects"),
                    json: input
                )
            }
            let place = location.address.map { "at \($0)" } ?? "in \(location.local.folder.path)"
            StandardOutput.writeLine("\(made.projectId): number \(made.projectNumber), \(place)")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the projects, or those of the token of --hub.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubPlace
        @OptionGroup var list: ListOptions

        private struct Record: Encodable {
            var project: String
            var number: Int64
            var role: String
            var createTime: String
            var quotaBytes: Int?
            var usedBytes: Int
            var requiresInstallation: Bool
        }

        func run() async throws {
            let records = try await reporting {
                let connection = try await location.connectToHub()
                return try await connection.list(ProjectPage.self, at: connection.ofHub("projects")).map {
                    Record(
                        project: $0.projectId,
                        number: Int64($0.projectNumber) ?? 0,
                        role: $0.role,
                        createTime: $0.createTime,
                        quotaBytes: $0.quotaBytes.flatMap { Int($0) },
                        usedBytes: Int($0.usedBytes) ?? 0,
                        requiresInstallation: $0.requiresInstallation
                    )
                }
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
            commandName: "set",
            abstract: "Change the quota of a project, or whether downloads need installation tokens.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubPlace
        @Argument(help: "The project's id.")
        var id: String
        @Option(help: "The largest total size of its files in MB; 0 for no limit.")
        var quota: Int?
        @Flag(
            inversion: .prefixedNo,
            help: "Downloads need an installation token of this hub in addition to the API key."
        )
        var requireInstallations: Bool?

        func run() async throws {
            try await reporting {
                let connection = try await location.connectToHub()
                let input = ProjectInput(
                    quotaBytes: try quota.map { try ProjectCommand.bytes(ofMegabytes: $0) },
                    requiresInstallation: requireInstallations
                )
                try await connection.send(.patch, connection.ofHub("projects", id), json: input)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a project that has no models, with its keys and uploads.",
            discussion: """
                The command asks first. Without a terminal, it needs --yes.

                \(Confirmation.exitCodes)
                """
        )
        @OptionGroup var location: HubPlace
        @Argument(help: "The project's id.")
        var id: String
        @OptionGroup var confirmation: Confirmation

        func run() async throws {
            try await reporting {
                let connection = try await location.connectToHub()
                try confirmation.require("Delete the project \(id) with its keys and uploads?")
                try await connection.send(.delete, connection.ofHub("projects", id))
            }
        }
    }

    /// A number of megabytes in bytes, for the API.
    private static func bytes(ofMegabytes count: Int) throws -> String {
        let (bytes, overflows) = count.multipliedReportingOverflow(by: 1_000_000)
        guard count >= 0, !overflows else {
            throw CommandError("\(count) MB cannot be a quota; give a number of megabytes, or 0 for no limit.")
        }
        return "\(bytes)"
    }
}

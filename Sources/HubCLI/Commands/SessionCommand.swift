import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubServer
import TextFormatting

struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "List and end sessions of the console, on the hub's machine.",
        discussion: """
            A session ends after two hours without use, after twelve hours, or when its token is revoked. A session from a \
            sign-in link has no token; its user is "local".

            Examples:
              sightline hub session list
              sightline hub session end 3f0c9a
            """,
        subcommands: [List.self, End.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the open sessions, newest first.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var owner: ProjectOption
        @OptionGroup var list: ListOptions

        private struct Record: Encodable {
            var id: String
            var user: String
            var role: String
            var createTime: String
            var useTime: String
        }

        func run() async throws {
            let records = try await reporting {
                let (hub, project) = try await owner.open()
                return try await hub.consoleSessions(of: project).map {
                    Record(
                        id: $0.id,
                        user: $0.actor,
                        role: $0.role.rawValue,
                        createTime: "\($0.createTime)",
                        useTime: "\($0.useTime)"
                    )
                }
            }
            try list.format.print(records) {
                TextTable(
                    columns: [.text("ID"), .text("USER"), .text("ROLE"), .text("BEGUN"), .text("LAST USED")],
                    rows: records.map { [$0.id, $0.user, $0.role, $0.createTime, $0.useTime] }
                ).text
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a session at once.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var owner: ProjectOption
        @Argument(help: "The session's id, or its beginning.")
        var id: String

        func run() async throws {
            try await reporting {
                let (hub, project) = try await owner.open()
                try await hub.endConsoleSession(id, of: project)
            }
        }
    }
}

import ArgumentParser
import CommandLineSupport
import ModelHubProtocol
import TextFormatting

struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "List and end sessions of the console.",
        discussion: """
            A session ends after two hours without use, after twelve hours, or when its token is revoked. The user of a session \
            from a link of `sightline hub console` is "local".

            Examples:
              sightline hub session list
              sightline hub session end 3f0c9a
            """,
        subcommands: [List.self, End.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the open sessions, newest first.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubPlace
        @OptionGroup var list: ListOptions

        func run() async throws {
            let sessions = try await reporting {
                let connection = try await location.connect()
                return try await connection.list(SessionPage.self, at: connection.extensions("sessions"))
            }
            try list.format.print(sessions) {
                TextTable(
                    columns: [.text("ID"), .text("USER"), .text("ROLE"), .text("BEGUN"), .text("LAST USED")],
                    rows: sessions.map { [$0.id, $0.user, $0.role, $0.createTime, $0.lastUseTime] }
                ).text
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end",
            abstract: "End a session at once.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubPlace
        @Argument(help: "The session's id, or its beginning.")
        var id: String

        func run() async throws {
            try await reporting {
                let connection = try await location.connect()
                try await connection.send(.delete, connection.extensions("sessions", id))
            }
        }
    }
}

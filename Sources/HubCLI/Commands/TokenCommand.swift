import ArgumentParser
import CommandLineSupport
import ModelHubProtocol
import ModelHubServer

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create, list and revoke tokens for scripts, for people and for the whole hub.",
        discussion: """
            A token of a project is for automation. A personal token acts as its person, and never has more rights than the \
            person. A token of the whole hub is valid in all projects; only administrators create such tokens.

            Examples:
              sightline hub token create ci
              sightline hub token create nightly --role viewer --expires 7d
              sightline hub token create operator --hub-wide --role administrator \\
                --expires 12h
              sightline hub token create laptop --personal \\
                --hub https://models.example.org --token-file token.txt
              sightline hub token list
              sightline hub token revoke 3f0c9a
            """,
        subcommands: [Create.self, List.self, Revoke.self]
    )

    /// The owner of the tokens: a project, a person or the hub.
    struct Owner: ParsableArguments {
        @OptionGroup var location: HubPlace
        @Flag(help: "The tokens of the person to whom the token of --hub belongs.")
        var personal = false
        @Flag(help: "The tokens that are valid in all projects of the hub.")
        var hubWide = false

        func validate() throws {
            if personal, hubWide { throw ValidationError("Give either --personal or --hub-wide, not both.") }
        }

        func tokens() async throws -> KeyList {
            if personal || hubWide {
                let connection = try await location.connectToHub()
                return KeyList(connection: connection, path: connection.ofHub(personal ? "tokens" : "keys"))
            }
            let connection = try await location.connect()
            return KeyList(connection: connection, path: connection.extensions("keys"))
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a token and print it.",
            discussion: """
                A token expires after 90 days unless --expires names another time. With --hub, it expires with the token that \
                creates it at the latest, and is revoked with it.

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var owner: Owner
        @Argument(help: "A name of lower-case letters, digits and hyphens, for the list of tokens.")
        var name: String
        @Option(
            help: "The role: viewer, publisher, editor, owner, or with --hub-wide administrator (default: publisher)."
        )
        var role: Role?
        @Option(help: "The lifetime, such as 30d or 12h, or never.", transform: Lifetime.init)
        var expires: Lifetime?

        func run() async throws {
            let issued = try await reporting {
                var input = KeyInput(
                    name: name,
                    kind: Credential.Kind.token.rawValue,
                    role: role?.rawValue,
                    ttl: expires?.ttl
                )
                if owner.personal { input.project = owner.location.project }
                return try await owner.tokens().create(input)
            }
            StandardOutput.writeLine(issued.secret ?? "")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List tokens.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var owner: Owner
        @OptionGroup var list: ListOptions

        func run() async throws {
            let tokens = try await reporting {
                try await owner.tokens().keys().filter { $0.kind == Credential.Kind.token.rawValue }
            }
            try KeyList.print(tokens, as: list.format)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke a token at once, with everything that it created.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var owner: Owner
        @Argument(help: "The token's id, or its beginning.")
        var id: String

        func run() async throws {
            try await reporting { try await owner.tokens().revoke(id) }
        }
    }
}

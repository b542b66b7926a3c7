import ArgumentParser
import CommandLineSupport
import ModelHubProtocol
import ModelHubServer
import TextFormatting

struct PersonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person",
        abstract: "Add, list and remove the people of a project, and give them sign-in links.",
        discussion: """
            A person signs in to the console with a link that works once. There are no passwords. Roles: a viewer sees \
            everything but keys and people; a publisher also publishes models, evaluates, changes Remote Config and runs \
            experiments; an editor also deletes models and reads the audit log; an owner also manages people, keys, sessions and \
            the project. An administrator has all rights in the whole hub.

            Examples:
              sightline hub person add ada@example.com --administrator
              sightline hub person add bob@example.com --role publisher --project my-plants
              sightline hub person link bob@example.com \\
                --address https://models.example.org
              sightline hub person list
              sightline hub person remove bob@example.com
            """,
        subcommands: [Add.self, Link.self, List.self, Remove.self]
    )

    /// The hub and the place of a role: a project or the whole hub.
    struct RolePlace: ParsableArguments {
        @OptionGroup var location: HubPlace
        @Flag(help: "The administrators of the whole hub instead of the people of a project.")
        var administrator = false

        /// A new link for a person, without the hub's address.
        func linkPath(for person: String) async throws -> String {
            let (connection, people) = try await people()
            let target = "\(people)/\(HubConnection.encoded(person)):createSignInLink"
            return try await connection.resource(SignInLinkResource.self, .post, target).path
        }

        /// The connection, and the path of the list of people.
        func people() async throws -> (connection: HubConnection, path: String) {
            if administrator {
                let connection = try await location.connectToHub()
                return (connection, connection.ofHub("people"))
            }
            let connection = try await location.connect()
            return (connection, connection.extensions("people"))
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Give a person a role, and print a sign-in link.",
            discussion: """
                The command changes the role of a person who has one in the project already. With --hub, the role ends with the \
                token that grants it; grant lasting roles in the console or on the hub's machine.

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var place: RolePlace
        @OptionGroup var link: SignInAddress
        @Argument(help: "The person's address, such as ada@example.com.")
        var person: String
        @Option(help: "The role in the project: viewer, publisher, editor or owner (default: viewer).")
        var role: Role?
        @Option(help: "The person's name on pages (default: the first part of the address).")
        var name: String?

        func validate() throws {
            if place.administrator, role != nil {
                throw ValidationError("An administrator has all rights; omit --role or --administrator.")
            }
        }

        func run() async throws {
            let path = try await reporting {
                let (connection, people) = try await place.people()
                let granted: Role = place.administrator ? .administrator : role ?? .viewer
                try await connection.send(
                    .put,
                    "\(people)/\(HubConnection.encoded(person))",
                    json: GrantInput(role: granted.rawValue, displayName: name)
                )
                return try await place.linkPath(for: person)
            }
            await link.printLink(path, to: place.location)
        }
    }

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "link",
            abstract: "Print a link that signs a person in once, within ten minutes.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var place: RolePlace
        @OptionGroup var link: SignInAddress
        @Argument(help: "The person's address.")
        var person: String

        func run() async throws {
            let path = try await reporting { try await place.linkPath(for: person) }
            await link.printLink(path, to: place.location)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the people of a project, or with --administrator of the whole hub.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var place: RolePlace
        @OptionGroup var list: ListOptions

        func run() async throws {
            let people = try await reporting {
                let (connection, path) = try await place.people()
                return try await connection.list(PersonPage.self, at: path)
            }
            try list.format.print(people) {
                TextTable(
                    columns: [.text("PERSON"), .text("NAME"), .text("ROLE"), .text("PROJECT"), .text("EXPIRES")],
                    rows: people.flatMap { person in
                        person.roles.map {
                            [
                                person.address, $0.displayName, $0.role, $0.project ?? "all",
                                $0.expireTime.map { String($0.prefix(10)) } ?? "never",
                            ]
                        }
                    }
                ).text
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a person's role, and with the last role the person's tokens and sessions.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var place: RolePlace
        @Argument(help: "The person's address.")
        var person: String

        func run() async throws {
            try await reporting {
                let (connection, people) = try await place.people()
                try await connection.send(.delete, "\(people)/\(HubConnection.encoded(person))")
            }
        }
    }
}

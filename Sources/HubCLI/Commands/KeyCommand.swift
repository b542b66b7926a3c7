import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubServer
import TextFormatting

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Create, list and revoke API keys, tokens and key files, on the hub's machine.",
        discussion: """
            The hub keeps only hashes and public keys, so `create` prints a secret once.

            Examples:
              sightline hub key create --api-key ios-app
              sightline hub key create --api-key android-app --existing < firebase-api-key.txt
              sightline hub key create --token ci --role publish
              sightline hub key create --key-file admin-sdk --address https://models.example.org > key.json
              sightline hub key revoke 3f0c9a
            """,
        subcommands: [Create.self, List.self, Revoke.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key and print it.",
            discussion: """
                An API key lets apps download models. Apps that were built for Firebase already contain an API key: --existing \
                reads it from standard input, so that the apps need no new key. A token is for scripts and for other \
                `sightline hub` commands with --hub. A key file is for the Firebase Admin SDKs.

                \(HubCommand.exitCodes)
                """
        )

        enum Kind: String, EnumerableFlag {
            case apiKey, token, keyFile
        }

        @OptionGroup var owner: ProjectOption
        @Flag(help: "The kind of key.")
        var kind: Kind
        @Argument(help: "A name of lower-case letters, digits and hyphens, for the list of keys.")
        var name: String
        @Flag(help: "Use the API key on standard input instead of creating a new key.")
        var existing = false
        @Option(help: "The role of a token or key file: read, publish, or admin, which may also delete.")
        var role: Role?
        @Option(help: "The hub's address for the Admin SDK, which is written into the key file.")
        var address = "http://127.0.0.1:8080"

        func validate() throws {
            if existing, kind != .apiKey { throw ValidationError("--existing is for API keys: give --api-key, too.") }
        }

        func run() async throws {
            if existing { return try await adopt() }
            let issued = try await reporting {
                let (hub, project) = try await owner.open()
                return switch kind {
                case .apiKey: try await hub.issue(.apiKey, role: .viewer, name: name, for: project, address: "")
                case .token: try await hub.issue(.token, role: role ?? .publish, name: name, for: project, address: "")
                case .keyFile:
                    try await hub.issue(
                        .serviceAccount,
                        role: role ?? .admin,
                        name: name,
                        for: project,
                        address: address
                    )
                }
            }
            StandardOutput.write(issued.keyFile ?? (issued.secret ?? "") + "\n")
        }

        private func adopt() async throws {
            let credential = try await reporting {
                let (hub, project) = try await owner.open()
                let key = (readLine() ?? "").trimmingCharacters(in: .whitespaces)
                return try await hub.adopt(apiKey: key, name: name, for: project)
            }
            StandardOutput.writeLine("\(credential.name): taken over, id \(credential.id.prefix(12))")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys of a project.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var owner: ProjectOption
        @OptionGroup var list: ListOptions

        private struct Record: Encodable {
            var id: String
            var name: String
            var kind: String
            var role: String
            var createTime: String
            var revokeTime: String?
        }

        func run() async throws {
            let records = try await reporting {
                let (hub, project) = try await owner.open()
                return try await hub.credentials(of: project).map {
                    Record(
                        id: $0.id,
                        name: $0.name,
                        kind: $0.kind.rawValue,
                        role: $0.role.rawValue,
                        createTime: "\($0.createTime)",
                        revokeTime: $0.revokeTime.map { "\($0)" }
                    )
                }
            }
            try list.format.print(records) {
                TextTable(
                    columns: [
                        .text("ID"), .text("NAME"), .text("KIND"), .text("ROLE"), .text("CREATED"), .text("REVOKED"),
                    ],
                    rows: records.map {
                        [
                            String($0.id.prefix(12)), $0.name, $0.kind, $0.role, String($0.createTime.prefix(10)),
                            $0.revokeTime.map { String($0.prefix(10)) } ?? "no",
                        ]
                    }
                ).text
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a key at once.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var owner: ProjectOption
        @Argument(help: "The key's id, or its beginning.")
        var id: String

        func run() async throws {
            try await reporting {
                let (hub, project) = try await owner.open()
                try await hub.revoke(id, of: project)
            }
        }
    }
}

extension Role: ExpressibleByArgument {}

import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import ModelHubServer

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Create, list and revoke the keys of a project: API keys, tokens, key files and signing keys.",
        discussion: """
            The hub keeps only hashes and public keys, so `create` prints a secret once. `sightline hub token` creates tokens for \
            people and for the whole hub.

            Examples:
              sightline hub key create --api-key ios-app
              sightline hub key create --api-key android-app --existing \\
                < firebase-api-key.txt
              sightline hub key create --token ci --role publisher --expires 30d
              sightline hub key create --key-file admin-sdk \\
                --address https://models.example.org > key.json
              sightline hub key create --signing plants
              sightline hub key create --signing plants --offline plants.pem
              sightline hub key list --hub https://models.example.org \\
                --token-file token.txt
              sightline hub key revoke 3f0c9a
              sightline hub key replace
            """,
        subcommands: [Create.self, List.self, Revoke.self, Replace.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a key and print it.",
            discussion: """
                An API key lets apps download models. Apps that were built for Firebase already contain an API key: --existing \
                reads it from standard input, so that the apps need no new key. A token is for scripts and for other \
                `sightline hub` commands with --hub. A key file is for the Firebase Admin SDKs.

                A signing key signs the versions that apps may install; the command prints its public part, which apps trust (trustedKeys). The hub \
                keeps the private part in its folder, outside of its database and its backups, and signs automatically. With --offline the \
                private part is written to a new file here, and the hub never gets it: sign with `sightline hub sign --key-file`.

                Tokens expire after 90 days unless --expires names another time; API keys and key files do not expire. With \
                --hub, a key expires with the token that creates it at the latest, and is revoked with it.

                \(HubCommand.exitCodes)
                """
        )

        enum Kind: String, EnumerableFlag {
            case apiKey, token, keyFile, signing
        }

        @OptionGroup var location: KeyLocation
        @Flag(help: "The kind of key.")
        var kind: Kind
        @Argument(help: "A name of lower-case letters, digits and hyphens, for the list of keys.")
        var name: String
        @Flag(help: "Use the API key on standard input instead of creating a new key.")
        var existing = false
        @Option(
            help:
                "The role of a token (default: publisher) or key file (default: editor): viewer, publisher, editor or owner."
        )
        var role: Role?
        @Option(help: "The lifetime, such as 30d or 12h, or never.", transform: Lifetime.init)
        var expires: Lifetime?
        @Option(help: "The hub's address for the Admin SDK, which is written into the key file.")
        var address: String?
        @Option(
            help: "A new file for the private part of a signing key, which the hub never gets.",
            completion: .file()
        )
        var offline: String?

        func validate() throws {
            if offline != nil, kind != .signing {
                throw ValidationError("--offline is for signing keys: give --signing, too.")
            }
            if existing, kind != .apiKey { throw ValidationError("--existing is for API keys: give --api-key, too.") }
        }

        func run() async throws {
            let issued = try await reporting {
                let keys = try await location.keys()
                var input = KeyInput(name: name, role: role?.rawValue, ttl: expires?.ttl)
                switch kind {
                case .apiKey: input.kind = Credential.Kind.apiKey.rawValue
                case .token: input.kind = Credential.Kind.token.rawValue
                case .keyFile:
                    input.kind = Credential.Kind.serviceAccount.rawValue
                    input.address =
                        address ?? location.location.address ?? ServingAddress.current(
                            in: location.location.local.folder
                        )
                        ?? "http://127.0.0.1:8080"
                case .signing: break
                }
                if existing { input.key = (readLine() ?? "").trimmingCharacters(in: .whitespaces) }
                return kind == .signing ? try await createSigningKey(input, keys) : try await keys.create(input)
            }
            if kind == .signing {
                StandardError.report(
                    offline.map {
                        "note: The private part is in \($0), which the hub never receives; keep a copy in a safe place."
                    }
                        ?? "note: The hub keeps the private part as signing/\(issued.id).pem in its folder, and no backup contains it; keep a copy in a safe place."
                )
                if let end = issued.expireTime {
                    StandardError.report("note: The key expires at \(end), and so do its signatures.")
                }
                StandardOutput.writeLine(issued.publicKey ?? "")
            } else if existing {
                StandardOutput.writeLine("\(issued.name): taken over, id \(issued.id.prefix(12))")
            } else {
                StandardOutput.writeExactly(issued.keyFile ?? (issued.secret ?? "") + "\n")
            }
        }

        /// Creates a signing key. The private part is in its file before the hub receives the public part.
        private func createSigningKey(_ input: KeyInput, _ keys: KeyList) async throws -> KeyResource {
            var input = input
            input.kind = Credential.Kind.signing.rawValue
            guard let offline else { return try await keys.create(input) }
            let key = SigningKey()
            input.publicKey = Base64URL.text(key.publicKey)
            try PrivateFile.create(key.pem, at: offline)
            do {
                return try await keys.create(input)
            } catch {
                unlink(offline)
                throw error
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the keys of a project.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: KeyLocation
        @OptionGroup var list: ListOptions

        func run() async throws {
            let keys = try await reporting { try await location.keys().keys() }
            try KeyList.print(keys, as: list.format)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke a key at once, with everything that it created.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: KeyLocation
        @Argument(help: "The key's id, or its beginning.")
        var id: String

        func run() async throws {
            try await reporting { try await location.keys().revoke(id) }
        }
    }
}

extension KeyCommand {
    struct Replace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "replace",
            abstract: "Replace the hub's own key, with which it signs addresses and tokens.",
            discussion: """
                After somebody else has read the records or a backup, stop the hub, replace its key, and start the hub again. Download \
                addresses, access tokens of key files and tokens of installations end; clients obtain new ones. Sessions of OpenID \
                Connect end at their next renewal.

                A hub keeps its key while it runs, so stop every hub of a shared database first.

                Example:
                  sightline hub key replace --data /var/lib/sightline-hub

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: DataOption

        func run() async throws {
            try await reporting {
                if let address = ServingAddress.current(in: location.folder) {
                    throw CommandError(
                        "The hub at \(address) serves this folder and would keep its present key; stop it first."
                    )
                }
                try await location.openExistingHub().replaceKey(by: .local)
            }
        }
    }
}

/// The hub and the project of the keys.
struct KeyLocation: ParsableArguments {
    @OptionGroup var location: HubPlace

    func keys() async throws -> KeyList {
        let connection = try await location.connect()
        return KeyList(connection: connection, path: connection.extensions("keys"))
    }
}

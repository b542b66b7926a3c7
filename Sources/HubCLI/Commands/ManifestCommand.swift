import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import TextFormatting

struct ManifestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest",
        abstract: "Show signed manifests, and carry manifests to and from a machine that has the key.",
        discussion: """
            `sightline hub sign` signs. These commands are for a key on a machine without a network: prepare a manifest here, sign it there \
            with `sightline hub sign --manifest`, and add the result here.

            Examples:
              sightline hub manifest list plants
              sightline hub manifest prepare plants --version 3 > plants.manifest
              sightline hub manifest add plants.signed
            """,
        subcommands: [List.self, Prepare.self, Add.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the versions that apps with trusted keys can install.",
            discussion: """
                The state is `valid`, `ends-soon`, `ended`, `unsigned`, or `outdated` if the threshold has changed since then, so that apps use the \
                old one.

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The model's name or id.")
        var name: String
        @OptionGroup var list: ListOptions

        func run() async throws {
            let manifests = try await reporting { try await location.connect().manifests(of: name) }
            func day(_ time: String?) -> String { time.map { String($0.prefix(10)) } ?? "" }
            try list.format.print(manifests) {
                TextTable(
                    columns: [
                        .text("ALIAS"), .number("VERSION"), .text("STATE"), .text("KEY"), .text("KEY ID"),
                        .text("SIGNED"), .text("ENDS"),
                    ],
                    rows: manifests.map {
                        [
                            $0.alias.rawValue, "\($0.version)", $0.state, $0.keyName ?? "",
                            String(($0.key ?? "").prefix(12)), day($0.issueTime), day($0.expireTime),
                        ]
                    }
                ).text
            }
        }
    }

    struct Prepare: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prepare",
            abstract: "Print a manifest to sign elsewhere.",
            discussion: """
                Example:
                  sightline hub manifest prepare plants --version 3 > plants.manifest

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The model's name or id.")
        var name: String
        @OptionGroup var alias: AliasOption
        @Option(help: "The version (default: the version that the alias names).")
        var version: Int?
        @Option(help: "The key: its name, or the beginning of its id (default: the only one).")
        var key: String?

        func run() async throws {
            let text = try await reporting {
                let plan = ManifestPlan(alias: alias.alias, version: version, key: key)
                return try await location.connect().preparedManifest(plan, of: name)
            }
            StandardOutput.writeExactly(text)
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a manifest that was signed elsewhere.",
            discussion: """
                Example:
                  sightline hub manifest add plants.signed

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The signed manifest.", completion: .file())
        var file: String

        func run() async throws {
            let manifest = try await reporting {
                let text = try PrivateFile.text(file, upTo: SignedManifest.maximumByteCount)
                let manifest = try HubConnection.signed(text).manifest
                try await location.connect().addManifest(text, to: manifest.name)
                return manifest
            }
            StandardOutput.writeLine(manifest.signedText)
        }
    }
}

import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import ModelHubServer
import TextFormatting

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Manage Remote Config templates, which give different values to different users.",
        discussion: """
            Examples:
              sightline hub config get --output config.json
              sightline hub config diff config.json
              sightline hub config set config.json \\
                --message "new model for half of the users"
              sightline hub config rollback
            """,
        subcommands: [Get.self, Set.self, Diff.self, Rollback.self, Versions.self]
    )

    /// The namespace of a template.
    struct NamespaceOption: ParsableArguments {
        @Flag(help: "Use the template for server SDKs instead of the template for apps.")
        var server = false

        var namespace: ConfigNamespace { server ? .server : .client }
    }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Print the template as JSON, or write it to a file to edit.",
            discussion: """
                The file contains its version, so that `set` notices a newer version from another person.

                Examples:
                  sightline hub config get --output config.json
                  sightline hub config get --version 7

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @OptionGroup var namespace: NamespaceOption
        @Option(help: "The version (default: the newest version).")
        var version: Int64?
        @Option(name: .shortAndLong, help: "The file to write.", completion: .file())
        var output: String?

        func run() async throws {
            let text = try await reporting {
                let connection = try await location.connect()
                let fetched = try await connection.template(version.map { "\($0)" }, in: namespace.namespace)
                let text = try ConfigFile(fetched).text()
                if let output {
                    do {
                        try await Task(executorPreference: FileExecutor.shared) {
                            try DurableFile.write(Data(text.utf8), to: URL(filePath: output), permissions: 0o666)
                        }.value
                    } catch {
                        throw CommandError("\(output) cannot be written; check the folder and the disk.")
                    }
                }
                return text
            }
            StandardOutput.writeExactly(output.map { $0 + "\n" } ?? JSONText.escapingUnprintable(text))
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Print the changes in a file and publish it as the new template.",
            discussion: """
                If there is a newer version than the file's, the command publishes nothing, and prints both the changes of the newer \
                version and the changes of the file. Apps see a new version with their next fetch.

                Examples:
                  sightline hub config set config.json
                  sightline hub config set config.json --check
                  generate-config | sightline hub config set - --force

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @OptionGroup var namespace: NamespaceOption
        @Argument(help: "The file, or - for standard input.", completion: .file(extensions: ["json"]))
        var file: String
        @Option(name: .shortAndLong, help: "A description of the change.")
        var message: String?
        @Flag(help: "Only check whether the file can be published.")
        var check = false
        @Flag(help: "Publish the file even if there is a newer version.")
        var force = false

        func run() async throws {
            try await reporting {
                let file = try ConfigFile(path: file)
                let connection = try await location.connect()
                let current = try await connection.template(in: namespace.namespace)
                let changes = current.template.changes(to: file.template)
                if !force, let etag = file.etag, etag != current.etag {
                    throw try await conflict(file, current, connection)
                }
                StandardOutput.write(changes.text)
                if changes.isEmpty, !check {
                    return StandardOutput.writeLine("nothing to change; version \(current.version) stays in force")
                }
                let published = try await connection.publish(
                    file.template,
                    message: message,
                    replacing: force ? "*" : current.etag,
                    onlyCheck: check,
                    in: namespace.namespace
                )
                guard let published else {
                    throw try await conflict(file, try await connection.template(in: namespace.namespace), connection)
                }
                StandardOutput.writeLine(
                    check ? "this could be published" : "published as version \(published.version)"
                )
                let problems =
                    namespace.namespace == .client
                    ? try await connection.modelParameters().problems(in: file.template) : []
                StandardError.warn(problems + file.template.warnings)
            }
        }

        /// Prints the changes of both sides, and returns an error with the next step.
        private func conflict(
            _ file: ConfigFile,
            _ current: FetchedTemplate,
            _ connection: HubConnection
        ) async throws -> CommandError {
            if let version = file.version, version != "0",
                let base = try? await connection.template(version, in: namespace.namespace)
            {
                StandardOutput.writeLine("changed by others, from version \(version) to \(current.version):")
                StandardOutput.write(base.template.changes(to: current.template).text)
                StandardOutput.writeLine("changed in the file:")
                StandardOutput.write(base.template.changes(to: file.template).text)
            } else {
                StandardOutput.writeLine("the file against version \(current.version):")
                StandardOutput.write(current.template.changes(to: file.template).text)
            }
            return CommandError(
                "The template was changed meanwhile: \(self.file) is of version \(file.version ?? "unknown") (\(file.etag ?? "no etag")), the "
                    + "hub has version \(current.version) (\(current.etag)); nothing was published. Get it again and make the change to that, "
                    + "or use --force."
            )
        }
    }

    struct Diff: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff",
            abstract: "Show the changes in a file, or between two versions.",
            discussion: """
                Examples:
                  sightline hub config diff config.json
                  sightline hub config diff 6 7

                \(ExitStatus.help(success: "they are equal", incomplete: "they differ"))
                """
        )
        @OptionGroup var location: HubLocation
        @OptionGroup var namespace: NamespaceOption
        @Argument(help: "A file, or a version.", completion: .file(extensions: ["json"]))
        var first: String
        @Argument(help: "A second version; the first argument is then also a version.")
        var second: Int64?
        @Option(help: "How to print the changes; jsonl is a line of JSON for each change.")
        var format = ListFormat.table

        private struct Record: Encodable {
            var place: String
            var before, after: String?
        }

        func run() async throws {
            let changes = try await reporting {
                let connection = try await location.connect()
                if let second {
                    guard let first = Int64(first) else {
                        throw CommandError("\"\(first)\" is not a version number; give two versions, or one file.")
                    }
                    let templates = (
                        try await connection.template("\(first)", in: namespace.namespace).template,
                        try await connection.template("\(second)", in: namespace.namespace).template
                    )
                    return templates.0.changes(to: templates.1)
                }
                let current = try await connection.template(in: namespace.namespace).template
                if let version = Int64(first), !FileManager.default.fileExists(atPath: first) {
                    return try await connection.template("\(version)", in: namespace.namespace).template
                        .changes(to: current)
                }
                return current.changes(to: try ConfigFile(path: first).template)
            }
            let records = changes.map { Record(place: $0.place, before: $0.before, after: $0.after) }
            try format.print(records) { changes.text }
            if !changes.isEmpty { throw ExitStatus.incomplete.code }
        }
    }

    struct Rollback: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rollback",
            abstract: "Publish an earlier version of the template again.",
            discussion: """
                The hub refuses a version from before a running experiment, because it would end the experiment. Stop the experiment \
                first.

                Example:
                  sightline hub config rollback --to 6

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @OptionGroup var namespace: NamespaceOption
        @Option(help: "The version (default: the version before the newest).")
        var to: Int64?

        func run() async throws {
            try await reporting {
                let connection = try await location.connect()
                let current = try await connection.template(in: namespace.namespace)
                let version = to ?? (Int64(current.version) ?? 0) - 1
                guard version > 0 else { throw CommandError("There is no version before the newest to go back to.") }
                let published = try await connection.rollBack(to: "\(version)", in: namespace.namespace)
                StandardOutput.write(current.template.changes(to: published.template).text)
                StandardOutput.writeLine("version \(version) is in force again, as version \(published.version)")
            }
        }
    }

    struct Versions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "versions",
            abstract: "List the versions of the template, newest first. The hub keeps 300 versions.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubLocation
        @OptionGroup var namespace: NamespaceOption
        @Option(help: "The number of versions to show, up to 300.")
        var limit = 20
        @OptionGroup var list: ListOptions

        private struct Page: Decodable {
            var versions: [Version]?
        }

        private struct Version: Codable {
            struct User: Codable {
                var email: String?
            }

            var versionNumber, updateTime, updateOrigin, updateType: String
            var updateUser: User?
            var description, rollbackSource: String?
        }

        func run() async throws {
            let versions = try await reporting {
                let connection = try await location.connect()
                let path = connection.configPath(namespace.namespace, verb: ":listVersions")
                let data = try await connection.send(.get, "\(path)?pageSize=\(min(max(limit, 1), 300))")
                return try HubConnection.decoded(Page.self, from: data).versions ?? []
            }
            try list.format.print(versions) {
                TextTable(
                    columns: [.number("VERSION"), .text("PUBLISHED"), .text("BY"), .text("HOW"), .text("WHAT FOR")],
                    rows: versions.map {
                        [
                            $0.versionNumber, $0.updateTime, $0.updateUser?.email ?? "",
                            $0.updateType.lowercased().replacing("_", with: " "), $0.description ?? "",
                        ]
                    }
                ).text
            }
        }
    }
}

extension [ConfigChange] {
    /// A line for each change: `+` for an addition, `-` for a removal, `~` for a different value.
    fileprivate var text: String {
        map { change in
            let place = TerminalText.printable(change.place)
            let (before, after) = (change.before.map(TerminalText.printable), change.after.map(TerminalText.printable))
            return switch (before, after) {
            case (nil, let after): "+ \(place): \(after ?? "")\n"
            case (let before, nil): "- \(place): \(before ?? "")\n"
            case (let before, let after): "~ \(place): \(before ?? "") → \(after ?? "")\n"
            }
        }.joined()
    }
}

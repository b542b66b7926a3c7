import ArgumentParser
import CommandOutput
import Foundation
import ModelHubServer

struct UnpublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpublish",
        abstract: "Withdraw a model; clients that have it keep it.",
        discussion: """
            Example:
              sightline hub unpublish plants

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name or id.")
    var name: String

    func run() async throws {
        try await attempting {
            let connection = try await location.connect()
            _ = try await connection.setPublished(false, try await connection.requireModel(name))
        }
        print("\(name): not published any more")
    }
}

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the models.",
        discussion: """
            Examples:
              sightline hub list
              sightline hub list --filter 'tags:plants AND state.published=true'
              sightline hub list --json | jq -r .displayName

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Option(help: "displayName = X, displayName : pre*, tags : T, state.published = true, with AND, OR, NOT and ( ).")
    var filter: String?
    @Flag(help: "Print a line of JSON for each.")
    var json = false

    func run() async throws {
        var rows: [[String]] = []
        try await attempting {
            try await location.connect().models(filter: filter) { models in
                if json { return try JSONLines.print(models) }
                rows += models.map { model in
                    [
                        model.displayName, model.id, model.state?.published == true ? "yes" : "no",
                        ByteCount.text(model.tfliteModel?.sizeBytes.flatMap { Int($0) }),
                        String(model.updateTime.prefix(10)), (model.tags ?? []).joined(separator: " "),
                        model.state?.validationError?.message ?? model.state?.warning ?? "",
                    ]
                }
            }
        }
        if json { return }
        let table = TextTable(
            columns: [
                .text("NAME"), .text("ID"), .text("PUBLISHED"), .number("SIZE"), .text("UPDATED"), .text("TAGS"),
                .text("PROBLEM"),
            ],
            rows: rows
        )
        print(table.text, terminator: "")
    }
}

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a model: state, versions, and what it wants and gives.",
        discussion: """
            Examples:
              sightline hub show plants
              sightline hub show plants --json

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name or id.")
    var name: String
    @Flag(help: "Print it as JSON.")
    var json = false

    func run() async throws {
        let data = try await attempting {
            let connection = try await location.connect()
            return try await connection.send(.get, connection.extensions("models", name) + "?pageSize=1000")
        }
        if json { return print(String(decoding: data, as: UTF8.self)) }
        let details = try await attempting { try JSONDecoder().decode(ModelDetails.self, from: data) }
        print(details.text, terminator: "")
    }
}

struct RollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Serve an earlier version of a model again.",
        discussion: """
            Clients get it with their next check for updates. `sightline hub show NAME` lists the versions.

            Example:
              sightline hub rollback plants --to 1

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name or id.")
    var name: String
    @Option(help: "The version (default: the one before the one that is served).")
    var to: Int?

    func run() async throws {
        let version = try await attempting {
            let connection = try await location.connect()
            let path = connection.extensions("models", name)
            var version = to
            if version == nil {
                let details = try JSONDecoder().decode(
                    ModelDetails.self,
                    from: try await connection.send(.get, path + "?pageSize=1000")
                )
                version = details.versions.map(\.version).filter { $0 < details.servedVersion ?? 0 }.max()
            }
            guard let version else {
                throw CommandError("\(name) has no version before the one that is served; name another with --to.")
            }
            try await connection.send(.post, path + ":rollback", json: ["version": version])
            return version
        }
        print("\(name): serves version \(version)")
    }
}

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a model and all its versions.",
        discussion: """
            Download addresses that were given out stay valid until they expire. Over the network this needs a token with the \
            role admin.

            Example:
              sightline hub delete plants

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name or id.")
    var name: String

    func run() async throws {
        try await attempting {
            let connection = try await location.connect()
            let model = try await connection.requireModel(name)
            try await connection.send(.delete, connection.models(model.id))
        }
        print("\(name): deleted")
    }
}

struct DownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Download a published model, as clients do.",
        discussion: """
            What comes is compared with the hash that the hub says, and replaces a file of the name only when it is whole.

            Examples:
              sightline hub download plants
              sightline hub download plants --output models/plants.tflite

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name.")
    var name: String
    @Option(name: .shortAndLong, help: "The file to write (default: NAME.tflite).", completion: .file())
    var output: String?

    func run() async throws {
        let path = try await attempting {
            let connection = try await location.connect()
            let target = URL(filePath: output ?? "\(name.replacing("/", with: "_")).tflite")
            try await connection.downloadModel(name, to: target)
            return target.relativePath
        }
        print(path)
    }
}

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show who changed what, newest first.",
        discussion: """
            Example:
              sightline hub audit --limit 20

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Option(help: "How many changes to show, up to 1000.")
    var limit = 50
    @Flag(help: "Print a line of JSON for each.")
    var json = false

    private struct Log: Decodable {
        struct Entry: Codable {
            var time, actor, action, target, detail: String
        }

        var entries: [Entry]
    }

    func run() async throws {
        let log = try await attempting {
            let connection = try await location.connect()
            return try JSONDecoder().decode(
                Log.self,
                from: try await connection.send(.get, connection.extensions("audit") + "?pageSize=\(limit)")
            )
        }
        if json { return try JSONLines.print(log.entries) }
        let table = TextTable(
            columns: [.text("TIME"), .text("WHO"), .text("DID"), .text("TO"), .text("DETAIL")],
            rows: log.entries.map { [$0.time, $0.actor, $0.action, $0.target, $0.detail] }
        )
        print(table.text, terminator: "")
    }
}

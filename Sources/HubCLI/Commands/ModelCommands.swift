import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import ModelHubServer
import TextFormatting

struct UnpublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpublish",
        abstract: "Unpublish a model. Clients keep their downloaded copies.",
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
        try await reporting {
            let connection = try await location.connect()
            let model = try await connection.requireModel(name)
            _ = try await connection.setPublished(false, model)
            StandardOutput.writeLine("\(name): no longer published")
            try await connection.warn(aboutUsesOf: model)
        }
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
              sightline hub list --format jsonl | jq -r .displayName

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Option(help: "displayName = X, displayName : pre*, tags : T, state.published = true, with AND, OR, NOT and ( ).")
    var filter: String?
    @OptionGroup var list: ListOptions

    func run() async throws {
        let models = try await reporting {
            var all: [ModelResource] = []
            try await location.connect().models(filter: filter) { all += $0 }
            return all
        }
        try list.format.print(models) {
            TextTable(
                columns: [
                    .text("NAME"), .text("ID"), .text("PUBLISHED"), .number("SIZE"), .text("UPDATED"), .text("TAGS"),
                    .text("PROBLEM"),
                ],
                rows: models.map { model in
                    [
                        model.displayName, model.id, model.state?.published == true ? "yes" : "no",
                        NumberText.bytes(model.tfliteModel?.sizeBytes.flatMap { Int($0) }),
                        String(model.updateTime.prefix(10)), (model.tags ?? []).joined(separator: " "),
                        model.state?.validationError?.message ?? model.state?.warning ?? "",
                    ]
                }
            ).text
        }
    }
}

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a model: its state, versions, inputs and outputs.",
        discussion: """
            Examples:
              sightline hub show plants
              sightline hub show plants --format json

            \(HubCommand.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name or id.")
    var name: String
    @Option(help: "How to print the model.")
    var format = OutputFormat.table

    func run() async throws {
        let data = try await reporting {
            let connection = try await location.connect()
            return try await connection.send(.get, connection.extensions("models", name) + "?pageSize=1000")
        }
        if format == .json { return StandardOutput.writeExactly(JSONOutput.document(data)) }
        let details = try reporting { try HubConnection.decoded(ModelDetails.self, from: data) }
        StandardOutput.write(details.text)
    }
}

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a model and all its versions.",
        discussion: """
            The command asks first, and warns if Remote Config gives apps the model. The hub refuses while an active rollout or a \
            running experiment gives apps the model. Without a terminal, it needs --yes. Existing download addresses stay valid until they expire. \
            Over the network, this needs a token with the role editor.

            Examples:
              sightline hub delete plants
              sightline hub delete plants --yes

            \(Confirmation.exitCodes)
            """
    )
    @OptionGroup var location: HubLocation
    @Argument(help: "The model's name or id.")
    var name: String
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        try await reporting {
            let connection = try await location.connect()
            let model = try await connection.requireModel(name)
            try await connection.warn(aboutUsesOf: model)
            try confirmation.require("Delete the model \(model.displayName) and all its versions?")
            try await connection.send(.delete, connection.models(model.id))
        }
        StandardOutput.writeLine("\(name): deleted")
    }
}

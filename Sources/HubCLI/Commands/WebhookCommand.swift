import ArgumentParser
import CommandLineSupport
import ModelHubProtocol
import ModelHubServer
import TextFormatting

struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook",
        abstract: "Notify web addresses of changes.",
        discussion: """
            While the hub serves, it posts each change to the webhooks of its project as a CloudEvent 1.0 in JSON: models that are \
            created, published, promoted, staged and deleted; rollouts that start, step, halt and end; evaluations and trainings that are done; \
            keys near their end; quotas near their limit. Events come in order. An event that is not answered with 2xx is sent again, after \
            2 seconds up to an hour, and delays those that follow; status 4xx refuses it permanently, except 408 and 429. The header \
            Sightline-Signature proves the sender.

            Webhooks go to hosts with public addresses. `sightline hub serve --webhook-host` allows others.

            Examples:
              sightline hub webhook add https://ci.example.org/models
              sightline hub webhook add https://chat.example.org/hook \\
                --event rollout.halted
              sightline hub webhook test 3f0c9a12bc45
              sightline hub webhook deliveries 3f0c9a12bc45
              sightline hub webhook repeat 3f0c9a12bc45 --from 120
            """,
        subcommands: [Add.self, List.self, Remove.self, Test.self, Deliveries.self, Repeat.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a webhook, and print its secret.",
            discussion: """
                A receiver computes the HMAC-SHA256, with the secret, of the time after t= in Sightline-Signature, a period, and the \
                body, compares it with the digits after v1=, and refuses old times.

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "An https or http address.")
        var address: String
        @Option(
            parsing: .singleValue,
            help: ArgumentHelp(
                "Deliver this event alone: \(WebhookEvent.allCases.map(\.rawValue).joined(separator: ", ")). May be repeated (default: all).",
                valueName: "event"
            )
        )
        var event: [String] = []
        func run() async throws {
            let webhook = try await reporting {
                let connection = try await location.connect()
                return try await connection.resource(
                    WebhookResource.self,
                    .post,
                    connection.extensions("webhooks"),
                    json: WebhookInput(address: address, events: event)
                )
            }
            StandardError.report("The webhook \(webhook.webhookId) is added. Its secret is not shown again.")
            StandardOutput.writeLine(webhook.secret ?? "")
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Send a test event to a webhook, and print the answer.",
            discussion: """
                The event has the type sightline.webhook.test, and is signed as every other one. It is not sent again.

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The webhook's id, as `sightline hub webhook list` shows it.")
        var id: String

        func run() async throws {
            let test = try await reporting {
                let connection = try await location.connect()
                return try await connection.resource(
                    WebhookTestResource.self,
                    .post,
                    connection.extensions("webhooks", id, verb: ":test")
                )
            }
            guard let problem = test.problem else {
                StandardOutput.writeLine("accepted with status \(test.status ?? 0)")
                return
            }
            StandardError.report("The receiver has not accepted the test event: \(problem).")
            throw ExitStatus.incomplete.code
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List webhooks.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubLocation
        @OptionGroup var list: ListOptions

        func run() async throws {
            let webhooks = try await reporting {
                let connection = try await location.connect()
                return try await connection.resource(WebhookList.self, .get, connection.extensions("webhooks")).webhooks
            }
            try list.format.print(webhooks) {
                TextTable(
                    columns: [
                        .text("ID"), .text("ADDRESS"), .text("EVENTS"), .number("LAST DELIVERED"), .number("FAILURES"),
                    ],
                    rows: webhooks.map {
                        [
                            $0.webhookId, $0.address, $0.events.isEmpty ? "all" : $0.events.joined(separator: " "),
                            "\($0.lastNumber)", "\($0.failures)",
                        ]
                    }
                ).text
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a webhook.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The id of the webhook.")
        var id: String

        func run() async throws {
            try await reporting {
                let connection = try await location.connect()
                try await connection.send(.delete, connection.extensions("webhooks", id))
            }
            StandardOutput.writeLine("\(id): removed")
        }
    }

    struct Deliveries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deliveries",
            abstract: "Show the last deliveries of a webhook, newest first.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The id of the webhook.")
        var id: String
        @OptionGroup var list: ListOptions

        func run() async throws {
            let deliveries = try await reporting {
                let connection = try await location.connect()
                let path = connection.extensions("webhooks", id, "deliveries")
                return try await connection.resource(WebhookDeliveryList.self, .get, path).deliveries
            }
            try list.format.print(deliveries) {
                TextTable(
                    columns: [
                        .number("CHANGE"), .text("EVENT"), .text("TIME"), .number("ATTEMPTS"), .number("STATUS"),
                        .text("PROBLEM"),
                    ],
                    rows: deliveries.map {
                        [
                            "\($0.number)", $0.event, $0.time, "\($0.attempts)", $0.status.map { "\($0)" } ?? "",
                            $0.problem ?? "",
                        ]
                    }
                ).text
            }
        }
    }

    struct Repeat: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "repeat",
            abstract: "Deliver the changes from a number on to a webhook again.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The id of the webhook.")
        var id: String
        @Option(help: "The number of the first change, as in `sightline hub webhook deliveries`.")
        var from: Int

        func run() async throws {
            try await reporting {
                let connection = try await location.connect()
                try await connection.send(
                    .post,
                    connection.extensions("webhooks", id, verb: ":repeat"),
                    json: ["number": from]
                )
            }
            StandardOutput.writeLine("\(id): delivers again from change \(from) on")
        }
    }
}

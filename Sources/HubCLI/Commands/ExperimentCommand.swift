import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import ModelHubServer

struct ExperimentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "experiment",
        abstract: "Compare models by A/B tests on a parameter.",
        discussion: """
            Examples:
              sightline hub experiment start new-plants --parameter plant_model \\
                --variant control --variant new=plants_v2
              sightline hub experiment show new-plants
              sightline hub experiment stop new-plants --winner new
            """,
        subcommands: [Start.self, Expose.self, Stop.self, Show.self]
    )

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start",
            abstract: "Start an experiment. Apps see it with their next fetch.",
            discussion: """
                A variant is an id and, after =, the parameter's value. A variant without a value leaves the parameter unchanged. The \
                first variant is the baseline. An installation keeps its variant as long as the experiment runs.

                Examples:
                  sightline hub experiment start ab --parameter plant_model --variant control \\
                    --variant b=plants_v2
                  sightline hub experiment start ab --parameter plant_model --variant a=small \\
                    --variant b=large --weights 3,1 --exposure 10 --condition "new phones"

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The experiment's id: letters, digits, hyphens and underscores.")
        var id: String
        @Option(help: "The parameter that the variants change.")
        var parameter: String
        @Option(help: "A variant, ID or ID=VALUE; give two or more.")
        var variant: [String]
        @Option(help: "The relative numbers of installations of the variants (default: equal numbers).")
        var weights: String?
        @Option(help: "The percentage of installations that take part.")
        var exposure = 100.0
        @Option(help: "A condition of the template that selects installations (default: all).")
        var condition: String?

        private struct Plan: Encodable {
            struct Variant: Encodable {
                var variantId: String
                var value: String?
                var weight: Int
            }

            var experimentId, parameter: String
            var condition: String?
            var variants: [Variant]
            var exposurePercent: Double
        }

        func validate() throws {
            guard variant.count >= 2 else { throw ValidationError("Give --variant twice or more.") }
            if let weights, Self.numbers(weights)?.count != variant.count {
                throw ValidationError("--weights is a whole number for each variant, with commas between them.")
            }
        }

        private static func numbers(_ text: String) -> [Int]? {
            let parts = text.split(separator: ",").map { Int($0.trimmingCharacters(in: .whitespaces)) }
            return parts.contains(nil) ? nil : parts.compactMap(\.self)
        }

        func run() async throws {
            let weights = weights.flatMap(Self.numbers) ?? Array(repeating: 1, count: variant.count)
            let plan = Plan(
                experimentId: id,
                parameter: parameter,
                condition: condition,
                variants: zip(variant, weights).map { text, weight in
                    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    let value = parts.count > 1 ? String(parts[1]) : nil
                    return Plan.Variant(variantId: String(parts[0]), value: value, weight: weight)
                },
                exposurePercent: exposure
            )
            try await reporting {
                let connection = try await location.connect()
                try await connection.send(.post, connection.extensions("experiments"), json: plan)
                StandardOutput.writeLine(
                    "\(id): runs on \(parameter), \(exposure.formatted()) % of installations take part"
                )
                try await connection.warn(about: parameter)
            }
        }
    }

    struct Expose: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "expose",
            abstract: "Let more installations take part. Installations keep their variants.",
            discussion: """
                Example:
                  sightline hub experiment expose ab 50

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The experiment's id.")
        var id: String
        @Argument(help: "The percentage of installations that take part; at least the present value.")
        var percent: Double

        func run() async throws {
            try await reporting {
                let connection = try await location.connect()
                let path = connection.extensions("experiments", id, verb: ":expose")
                try await connection.send(.post, path, json: ["exposurePercent": percent])
            }
            StandardOutput.writeLine("\(id): \(percent.formatted()) % of installations take part")
        }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop",
            abstract: "Stop an experiment. All installations get the usual value, or the winner's value.",
            discussion: """
                Examples:
                  sightline hub experiment stop ab
                  sightline hub experiment stop ab --winner b

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The experiment's id.")
        var id: String
        @Option(help: "The variant whose value all installations get from now on.")
        var winner: String?

        func run() async throws {
            try await reporting {
                let connection = try await location.connect()
                let path = connection.extensions("experiments", id, verb: ":stop")
                let json = winner.map { ["winner": $0] } ?? [:]
                let experiment = try await connection.resource(ExperimentResource.self, .post, path, json: json)
                StandardOutput.writeLine("\(id): stopped" + (winner.map { ", all get \($0)" } ?? ""))
                try await connection.warn(about: experiment.parameter)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "List experiments, or compare the variants of one experiment and show the conclusions.",
            discussion: """
                Examples:
                  sightline hub experiment show
                  sightline hub experiment show ab
                  sightline hub experiment show ab --format json | jq -r '.sentences[]'

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The experiment's id (default: all experiments).")
        var id: String?
        @Option(help: "How to print the experiment or the list; jsonl is a line of JSON for each experiment.")
        var format = ListFormat.table

        func run() async throws {
            let data = try await reporting {
                let connection = try await location.connect()
                let path =
                    id.map { connection.extensions("experiments", $0) } ?? connection.extensions("experiments")
                return try await connection.send(.get, path)
            }
            if id == nil {
                let list = try reporting { try HubConnection.decoded(ExperimentList.self, from: data) }
                return try format.print(list.experiments) { list.text }
            }
            if format != .table { return StandardOutput.writeExactly(JSONOutput.document(data)) }
            let outcome = try reporting { try HubConnection.decoded(OutcomeResource.self, from: data) }
            StandardOutput.write(outcome.text)
        }
    }
}

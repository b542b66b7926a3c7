import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import ModelHubServer

struct RolloutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollout",
        abstract: "Give a version to more and more devices, and return automatically if it is worse.",
        discussion: """
            A rollout gives a version of a model to a small part of the devices, and continues in steps. Devices with the version and \
            as many devices without it report their results. If a guard finds a change for the worse, all devices return to the \
            version before. The hub never exceeds the plan.

            Examples:
              sightline hub rollout start plants --to 3 --steps 5,20,50,100 --every 24h \\
                --guard failures,latency,score:accepted
              sightline hub rollout show plants
              sightline hub rollout pause plants
            """,
        subcommands: [
            Start.self, List.self, Show.self, Pause.self, Resume.self, Finish.self, Abort.self,
        ]
    )

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start",
            abstract: "Start a rollout. The devices of the first step get the version with their next check.",
            discussion: """
                Guards: failures (2 points more are a harm), latency (10 % more), confidence and score:NAME (10 % less). A step is \
                taken when its time has passed, each guard has 50 devices on either side, and a harm is excluded; after three \
                times the time, also if a harm is neither found nor excluded. A plan that ends below 100 waits for you there.

                Examples:
                  sightline hub rollout start plants --to 3
                  sightline hub rollout start plants --to 3 --steps 1,10,50,100 --every 2d \\
                    --guard failures,latency,confidence,score:accepted

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The model's name.")
        var name: String
        @Option(help: "The version that devices get.")
        var to: Int
        @Option(help: "The percentages of devices, with commas between them (default: 5,20,50,100).")
        var steps: String?
        @Option(help: "The least time of each step, such as 24h, 90m or 2d (default: 24h).")
        var every: String?
        @Option(help: "The guards, with commas between them (default: failures,latency).")
        var `guard`: String?

        @Option(help: "A parameter of Remote Config that shows Firebase's apps their group, such as \"plants-v3 new\".")
        var parameter: String?

        func validate() throws {
            if let steps, Self.percentages(steps) == nil {
                throw ValidationError("--steps is a list of percentages such as 5,20,50,100, not \"\(steps)\".")
            }
            if let every, Self.seconds(every) == nil {
                throw ValidationError("--every is a number with a unit, such as 24h, 90m or 2d, not \"\(every)\".")
            }
        }

        private static func percentages(_ text: String) -> [Double]? {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
                .map { Double($0.trimmingCharacters(in: .whitespaces)) }
            return parts.contains(nil) ? nil : parts.compactMap(\.self)
        }

        private static func seconds(_ text: String) -> Int? {
            let units: [Character: Int] = ["d": 86_400, "h": 3600, "m": 60]
            guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
                (1...100_000).contains(count)
            else { return nil }
            return count * unit
        }

        func run() async throws {
            let input = RolloutInput(
                model: name,
                version: to,
                steps: steps.flatMap(Self.percentages),
                everySeconds: every.flatMap(Self.seconds),
                guards: `guard`?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) },
                parameter: parameter
            )
            let (rollout, details) = try await reporting {
                let connection = try await location.connect()
                let rollout = try await connection.resource(
                    RolloutResource.self,
                    .post,
                    connection.extensions("rollouts"),
                    json: input
                )
                return (rollout, try await connection.details(of: rollout.model))
            }
            if let change = details.labelChange(from: rollout.oldVersion, to: rollout.newVersion) {
                StandardError.report(
                    "warning: \(change) `sightline hub rollout abort \(rollout.rolloutId)` ends the rollout."
                )
            }
            StandardOutput.writeLine("\(rollout.rolloutId): \(rollout.events.last?.text ?? rollout.reason)")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List rollouts, newest first.",
            discussion: """
                Examples:
                  sightline hub rollout list
                  sightline hub rollout list --format jsonl | grep HALTED

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Option(help: "How to print the list; jsonl is a line of JSON for each rollout.")
        var format = ListFormat.table

        func run() async throws {
            let list = try await reporting {
                let connection = try await location.connect()
                let data = try await connection.send(.get, connection.extensions("rollouts"))
                return try HubConnection.decoded(RolloutList.self, from: data)
            }
            try format.print(list.rollouts) { list.text }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a rollout: its state, the comparisons of its guards, and its history.",
            discussion: """
                The intervals are valid however often you look: a rollout without a change for the worse is halted by mistake in at \
                most 5 % of cases, over all guards and its whole time.

                Examples:
                  sightline hub rollout show plants
                  sightline hub rollout show plants-v3 --format json | jq -r .reason

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The rollout's id, or the model's name for its newest rollout.")
        var name: String
        @Option(help: "How to print the rollout.")
        var format = ListFormat.table

        func run() async throws {
            let data = try await reporting {
                let connection = try await location.connect()
                return try await connection.send(.get, connection.extensions("rollouts", name))
            }
            if format != .table { return StandardOutput.writeExactly(JSONOutput.document(data)) }
            let rollout = try reporting { try HubConnection.decoded(RolloutResource.self, from: data) }
            StandardOutput.write(rollout.text)
        }
    }
}

extension RolloutCommand {
    struct Pause: AsyncParsableCommand {
        static let configuration = NamedRollout.configuration(
            "pause",
            "Take no further steps for now. Devices keep their versions, and the guards still watch."
        )
        @OptionGroup var rollout: NamedRollout

        func run() async throws { try await rollout.change("pause") }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = NamedRollout.configuration(
            "resume",
            "Resume the steps of a paused rollout."
        )
        @OptionGroup var rollout: NamedRollout

        func run() async throws { try await rollout.change("resume") }
    }

    struct Finish: AsyncParsableCommand {
        static let configuration = NamedRollout.configuration(
            "finish",
            "Give all devices the new version at once."
        )
        @OptionGroup var rollout: NamedRollout

        func run() async throws { try await rollout.change("finish") }
    }

    struct Abort: AsyncParsableCommand {
        static let configuration = NamedRollout.configuration(
            "abort",
            "Return all devices to the old version at once."
        )
        @OptionGroup var rollout: NamedRollout

        func run() async throws { try await rollout.change("abort") }
    }
}

/// The rollout that a command changes.
struct NamedRollout: ParsableArguments {
    @OptionGroup var location: HubLocation
    @Argument(help: "The rollout's id or the model's name.")
    var name: String

    /// The description of a command with the name of a change, which is also its verb in the HTTP API.
    fileprivate static func configuration(_ change: String, _ abstract: String) -> CommandConfiguration {
        CommandConfiguration(
            commandName: change,
            abstract: abstract,
            discussion: """
                Example:
                  sightline hub rollout \(change) plants

                \(HubCommand.exitCodes)
                """
        )
    }

    /// Pauses, resumes, finishes or aborts the rollout, and prints its state.
    fileprivate func change(_ action: String) async throws {
        let rollout = try await reporting {
            let connection = try await location.connect()
            let path = connection.extensions("rollouts", name, verb: ":\(action)")
            return try await connection.resource(RolloutResource.self, .post, path, json: [String: String]())
        }
        StandardOutput.writeLine("\(rollout.rolloutId): \(rollout.reason)")
    }
}

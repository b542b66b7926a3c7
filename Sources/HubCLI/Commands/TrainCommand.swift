import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHubProtocol
import TextFormatting

struct TrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "train",
        abstract: "Train a model on a data set, on the hub.",
        discussion: """
            The hub trains while it serves, in a sandbox and one model at a time; projects take turns. The model becomes a staged version, with its \
            threshold, notes and evaluation. The command shows the progress and waits for the end; Ctrl-C ends the command, and not the training.

            Examples:
              sightline hub train plants
              sightline hub train plants --model flowers
              sightline hub train parts --kind boxes
              sightline hub dataset photos plants --doubtful
              sightline hub train plants --cancel
              sightline hub train --list
              sightline hub promote plants

            \(HubCommand.exitCodes)
            """
    )

    /// The kind of model.
    enum Kind: String, CaseIterable, ExpressibleByArgument { case labels, boxes }

    @OptionGroup var location: HubLocation
    @Argument(help: "The data set.")
    var name: String?
    @Option(help: "The model that gets the version (default: the one with the name of the data set).")
    var model: String?
    @Option(help: "From labels or boxes of photos: labels or boxes (default: boxes if the data set has some).")
    var kind: Kind?
    @Flag(help: "Start it, print its id, and do not wait.")
    var noWait = false
    @Flag(help: "Cancel the training on this data set that waits or runs.")
    var cancel = false
    @Flag(help: "List the trainings of the project, newest first.")
    var list = false
    @Flag(help: "Print the training, or the list, as JSON.")
    var json = false

    func validate() throws {
        if cancel, model != nil || kind != nil || noWait { throw ValidationError("Give --cancel alone.") }
        if list, cancel || noWait || model != nil || kind != nil || name != nil {
            throw ValidationError("Give --list alone.")
        }
        if !list, name == nil { throw ValidationError("Name a data set.") }
    }

    private static let interval = Duration.milliseconds(500)
    /// The time after which a training that no hub begins needs a word.
    private static let patience = Duration.seconds(5)

    func run() async throws {
        guard let name else { return try await show() }
        let training = try await reporting {
            let connection = try await location.connect()
            return cancel ? try await end(name, connection) : try await train(name, connection)
        }
        if json {
            StandardOutput.writeExactly(try JSONOutput.document(training))
        } else if noWait {
            StandardOutput.writeLine(training.trainingId)
        } else {
            StandardOutput.writeLine(
                training.message ?? "The training \(training.trainingId) is \(training.state.lowercased())."
            )
        }
    }

    /// Prints all trainings.
    private func show() async throws {
        let trainings = try await reporting {
            let connection = try await location.connect()
            return try await connection.resource(TrainingList.self, .get, connection.extensions("trainings")).trainings
        }
        if json { return StandardOutput.writeExactly(try JSONOutput.document(trainings)) }
        StandardOutput.write(
            TextTable(
                columns: [
                    .text("ID"), .text("DATA SET"), .text("MODEL"), .text("KIND"), .text("STATE"), .number("VERSION"),
                    .text("STARTED"),
                ],
                rows: trainings.map {
                    [
                        $0.trainingId, $0.dataSet, $0.model, $0.kind, $0.state.lowercased(),
                        $0.version.map { "\($0)" } ?? "",
                        $0.startTime ?? "",
                    ]
                }
            ).text
        )
    }

    private func train(_ name: String, _ connection: HubConnection) async throws -> TrainingResource {
        var training = try await connection.resource(
            TrainingResource.self,
            .post,
            connection.extensions("datasets", name, verb: ":train"),
            json: TrainingInput(model: model, kind: kind?.rawValue)
        )
        guard !noWait else { return training }
        var line = ProgressLine()
        defer { line.clear() }
        let start = ContinuousClock.now
        var isSaid = false
        while training.isOpen {
            if !isSaid, training.stage == nil, training.position == 0, ContinuousClock.now - start > Self.patience {
                line.clear()
                StandardError.report("The training waits for a hub that serves; start one with `sightline hub serve`.")
                isSaid = true
            }
            let shown = training
            line.show { Self.text(shown) }
            try await Task.sleep(for: Self.interval)
            training = try await connection.resource(
                TrainingResource.self,
                .get,
                connection.extensions("trainings", training.trainingId)
            )
        }
        line.clear()
        guard training.state == "DONE" else {
            throw CommandError(training.message ?? "The training was canceled.")
        }
        return training
    }

    /// The progress of a training, in a line.
    private static func text(_ training: TrainingResource) -> String {
        switch (training.stage, training.total) {
        case (let stage?, let total?) where total > 0:
            "\(ProgressLine.bar(Double(training.done ?? 0) / Double(total))) \(stage)"
        case (let stage?, _): stage
        default:
            training.position.map {
                $0 > 0 ? "waiting behind \(NumberText.grouped($0, "training"))" : "waiting for a hub that serves"
            } ?? "starting"
        }
    }

    private func end(_ name: String, _ connection: HubConnection) async throws -> TrainingResource {
        let all = try await connection.resource(TrainingList.self, .get, connection.extensions("trainings")).trainings
        guard let training = all.first(where: { $0.dataSet == name && $0.isOpen }) else {
            throw CommandError("No training on the data set \"\(name)\" waits or runs.")
        }
        return try await connection.resource(
            TrainingResource.self,
            .post,
            connection.extensions("trainings", training.trainingId, verb: ":cancel")
        )
    }
}

import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import TensorFlowLite

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show a model's inputs and outputs, and how Sightline uses them.",
        discussion: """
            Without a model, the command describes the built-in models.

            Examples:
              sightline inspect
              sightline inspect detector.tflite
              sightline inspect best.onnx
              sightline inspect automl-export/ --format json

            \(ExitStatus.help(
                success: "the model is usable",
                incomplete: "the model is readable but not usable, and the output has the reason",
                failure: "the model is not readable"
            ))
            """
    )

    @Argument(
        help: """
            A .tflite or .onnx model, a .zip or .task archive, an export folder, its manifest.json, a sidecar, an installed model, \
            or hub:NAME for a model of the hub of --hub (default: the built-in models).
            """,
        completion: .modelOrFile
    )
    var model: String?

    @Option(help: "A text file with one label on each line.", completion: .file())
    var labels: String?

    @OptionGroup var hub: HubArguments

    @Option(help: "How to print the description.")
    var format = OutputFormat.table

    func validate() throws {
        if labels != nil, model == nil {
            throw ValidationError("--labels belongs to a model, but the built-in models have their own labels.")
        }
    }

    func run() throws {
        let models =
            try model.map { [try ModelArgument.resolve($0, labels: labels, hub: hub.hub)] } ?? LocalModel.builtIns
        var inspections = try loading { try models.map { try ModelInspection(of: $0) } }
        if model != nil, inspections.first?.problem == nil, let reason = models.first.flatMap(Self.refusal) {
            (inspections[0].problem, inspections[0].task) = (reason, nil)
        }
        let text = { inspections.map { InspectionText($0).text }.joined(separator: "\n") }
        // One model is an object; the built-in models are an array.
        if model == nil {
            try format.print(inspections, table: text)
        } else {
            try format.print(inspections.first, table: text)
        }
        if inspections.contains(where: { $0.problem != nil }) { throw ExitStatus.incomplete.code }
    }

    /// The reason why the runtime refuses a model; nil if it accepts the model, or is not there.
    private static func refusal(of model: LocalModel) -> String? {
        do {
            _ = try withStandardErrorSilenced { try model.read().model.makeSession(threads: 1) }
            return nil
        } catch let error as ModelError {
            return error.description
        } catch {
            return nil
        }
    }
}

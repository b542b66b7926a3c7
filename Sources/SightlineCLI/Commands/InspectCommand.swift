import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Say what a model wants and gives, and what Sightline does with it.",
        discussion: """
            Without a model it describes the two built-in ones.

            Examples:
              sightline inspect
              sightline inspect detector.tflite
              sightline inspect automl-export/ --format json

            Exit codes: 0 the model can be used; 1 it can be read but not used, and the output says why; 2 it cannot be \
            read; 64 the command line is wrong.
            """
    )

    @Argument(
        help: """
            A .tflite model, an AutoML export folder, its manifest.json, or an installed model (default: the built-in \
            models).
            """,
        completion: .file()
    )
    var model: String?

    @Option(help: "A text file with one label a line.", completion: .file())
    var labels: String?

    @Option(help: "How to print the description.")
    var format = OutputFormat.table

    func validate() throws {
        if labels != nil, model == nil {
            throw ValidationError("--labels belongs to a model; the built-in ones have their own.")
        }
    }

    func run() throws {
        let models =
            try model.map { [try ModelArgument.resolve($0, labels: labels)] }
            ?? [.builtInLocalizer, .builtInClassifier]
        let inspections = try loading { try models.map { try ModelInspection(of: $0) } }
        let text = { inspections.map { InspectionText($0).text }.joined(separator: "\n") }
        // One model is an object; the built-in models are an array.
        if model == nil {
            try format.print(inspections, table: text)
        } else {
            try format.print(inspections.first, table: text)
        }
        if inspections.contains(where: { $0.problem != nil }) { throw ExitStatus.incomplete.code }
    }
}

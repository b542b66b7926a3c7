import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation

struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Say how good a model is on pictures whose labels or boxes are known.",
        discussion: """
            Examples:
              sightline evaluate labels flowers/ --model flowers.tflite
              sightline evaluate labels flowers.zip --model flowers.tflite --html report.html
              sightline evaluate boxes annotations.json --images photos/ --model coco-ssd-mobilenet-v1
            """,
        subcommands: [EvaluateLabelsCommand.self, EvaluateBoxesCommand.self]
    )
}

/// The arguments that `evaluate labels` and `evaluate boxes` share.
struct EvaluationArguments: ParsableArguments, Sendable {
    static let exitCodes = ExitStatus.help(success: "the report is complete", failure: "there is no report")

    @Option(
        help: """
            A .tflite model, an AutoML export folder, its manifest.json, or the name of an installed model (default: the \
            built-in model).
            """,
        completion: .file()
    )
    var model: String?

    @Option(help: "A text file with one label a line, for the model.", completion: .file())
    var labels: String?

    @Option(parsing: .unconditional, help: "Pictures worked on at the same time (default: one per core).")
    var workers: Int?

    @Option(help: "How to print the report; json has all of it, csv a line for each label.")
    var format = ReportFormat.table

    @Option(
        help: "Write the report as one HTML file, with curves and the pictures that went wrong.",
        completion: .file()
    )
    var html: String?

    /// Refuses what makes no sense; called by the commands, after the parser has refused unknown options.
    func check() throws {
        if labels != nil, model == nil {
            throw ValidationError("--labels belongs to a model; the built-in ones have their own.")
        }
        if let workers { try PictureArguments.check(workers, isIn: 1...256, name: "workers") }
    }

    /// The model that is named, if one is.
    func localModel() throws -> LocalModel? {
        try model.map { try ModelArgument.resolve($0, labels: labels) }
    }

    /// Prints a report and writes its HTML file.
    func print(_ report: some Encodable, table: () -> String, csv: () -> String, html page: () -> String) throws {
        if let html {
            let text = page()
            try reporting {
                try Termination.whileWriting { () throws(EvaluationError) in try ReportFile.write(text, to: html) }
            }
        }
        switch format {
        case .table: StandardOutput.write(table())
        case .json: StandardOutput.write(try JSONOutput.document(report))
        case .csv: StandardOutput.write(csv())
        }
    }
}

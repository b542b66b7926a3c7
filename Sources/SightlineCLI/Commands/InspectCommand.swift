import ArgumentParser
import Foundation
import Sightline

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Say what a model wants and gives, and what Sightline does with it.",
        discussion: """
            Examples:
              sightline inspect detector.tflite
              sightline inspect automl-export/ --format json

            Exit codes: 0 the model can be used; 1 it can be read but not used, and the output says why; 2 it cannot be \
            read; 64 the command line is wrong.
            """
    )

    /// How the description is printed.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Argument(help: "A .tflite model, an AutoML export folder, or its manifest.json.", completion: .file())
    var model: String

    @Option(help: "A text file with one label a line.", completion: .file())
    var labels: String?

    @Option(help: "How to print the description.")
    var format = Format.text

    func run() throws {
        let inspection = try loading { try ModelInspection(of: LocalModel(path: model, labelsPath: labels)) }
        switch format {
        case .text:
            StandardOutput.write(InspectionText(inspection).text)
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            StandardOutput.write(String(decoding: try encoder.encode(inspection), as: UTF8.self) + "\n")
        }
        if inspection.problem != nil { throw ExitStatus.somePicturesFailed }
    }
}

import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation

struct EvaluateLabelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "labels",
        abstract: "Measure a labeler on a folder or zip archive that has a folder of pictures for each label.",
        discussion: """
            The answer for a picture is its most confident label. At a threshold, only answers with at least that confidence \
            count. Precision is the share of right answers among the answers, recall is the share of pictures with a right \
            answer, and AP is the area under the curve of both.

            A folder stands for the label with its name; case and the signs between words do not matter. Folders with other \
            names are left out and listed. A folder "None of the above" may hold pictures for which every answer is wrong.

            \(BuiltInModels.labelerHelp)

            Examples:
              sightline evaluate labels flowers/ --model flowers.tflite
              sightline evaluate labels flowers.zip --model flowers.tflite \\
                --html report.html
              sightline evaluate labels flowers/ --model flowers.tflite --precision 0.95
              sightline evaluate labels flowers/ --model flowers.tflite --format json \\
                | jq .bestThreshold

            In JSON, a curve is {"wanted": pictures, "steps": [[threshold in hundredths, answers, right answers], …]}, with a \
            step where a number changes.

            \(EvaluationArguments.exitCodes)
            """
    )

    @Argument(help: "A folder or zip archive with a folder of pictures for each label.", completion: .file())
    var pictures: String

    @OptionGroup var arguments: EvaluationArguments

    @Option(
        parsing: .unconditional,
        help: "The threshold for the table of labels, 0 to 1 (default: the threshold with the best F1)."
    )
    var threshold: Double?

    @Option(parsing: .unconditional, help: "Print the lowest threshold with at least this precision, 0 to 1.")
    var precision = 0.9

    @Option(
        help: "How to fit pictures into the model's input: stretch them, or crop them to their largest centered part."
    )
    var fit = FitArgument.crop

    func validate() throws {
        if let threshold { try check(threshold, isIn: 0...1, name: "threshold") }
        try check(precision, isIn: 0...1, name: "precision")
    }

    func run() async throws {
        var options = LabelEvaluatorOptions()
        if let model = try arguments.model.localModel() { options.model = model }
        options.fit = fit.imageFit
        options.optimizesModel = arguments.model.optimize ?? false
        if let workers = arguments.workers { options.workers = workers }
        let model = RequestedModel(options.model, named: arguments.model.name, for: .labeling)
        let evaluator = try loading([model]) { try LabelEvaluator(options: options) }
        let (known, report) = try await reporting {
            let known = try LabeledPictures(contentsOf: URL(filePath: pictures))
            return (known, try await arguments.report(of: evaluator, on: known))
        }
        try arguments.print(report, of: known.files, ThresholdChoice(threshold: threshold, precision: precision))
    }
}

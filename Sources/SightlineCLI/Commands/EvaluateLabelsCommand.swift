import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation

struct EvaluateLabelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "labels",
        abstract: "Measure a labeler on a folder (or zip archive) with a folder of pictures for each label.",
        discussion: """
            A picture's answer is the most confident label that the model gives it; at a threshold it answers only if its \
            confidence is at least that. Precision is the share of right ones among the answers, recall the share of \
            pictures whose answer is right, and AP the area under the curve of both.

            A folder means the label of its name, whatever the case and the signs between words. Folders of other names are \
            left out and told; "None of the above" may hold pictures on which every answer is wrong.

            \(BuiltInModels.labelerHelp)

            Examples:
              sightline evaluate labels flowers/ --model flowers.tflite
              sightline evaluate labels flowers.zip --model flowers.tflite --html report.html
              sightline evaluate labels flowers/ --model flowers.tflite --precision 0.95
              sightline evaluate labels flowers/ --model flowers.tflite --format json | jq .bestThreshold

            In JSON a curve is {"wanted": pictures, "steps": [[threshold in hundredths, answers, right ones], …]}, with a step \
            where a number changes.

            \(EvaluationArguments.exitCodes)
            """
    )

    @Argument(help: "A folder or zip archive with a folder of pictures for each label.", completion: .file())
    var pictures: String

    @OptionGroup var arguments: EvaluationArguments

    @Option(
        parsing: .unconditional,
        help: "The threshold of the table of labels, 0 to 1 (default: the one with the best F1)."
    )
    var threshold: Double?

    @Option(parsing: .unconditional, help: "Tell the lowest threshold at which precision is at least this, 0 to 1.")
    var precision = 0.9

    @Option(help: "Squeeze pictures into the model's shape, or use their largest centred part.")
    var fit = FitArgument.crop

    func validate() throws {
        try arguments.check()
        if let threshold { try PictureArguments.check(threshold, isIn: 0...1, name: "threshold") }
        try PictureArguments.check(precision, isIn: 0...1, name: "precision")
    }

    func run() async throws {
        var options = LabelEvaluatorOptions()
        if let model = try arguments.localModel() { options.model = model }
        options.fit = fit.imageFit
        if let workers = arguments.workers { options.workers = workers }
        let model = RequestedModel(options.model, named: arguments.model, for: .labeling)
        let evaluator = try loading([model]) { try LabelEvaluator(options: options) }
        let (known, report) = try await reporting {
            let known = try LabeledPictures(contentsOf: URL(filePath: pictures))
            var progressLine = PictureProgress()
            let report = try await evaluator.evaluate(known) { progress in
                progressLine.show(done: progress.done, of: progress.total, failed: progress.skipped)
            }
            progressLine.clear()
            return (known, report)
        }
        var text = LabelReport.TextOptions()
        (text.threshold, text.wantedPrecision) = (threshold, precision)
        try arguments.print(
            report,
            table: { report.text(text) },
            csv: { report.csv(text) },
            html: { report.html(pictures: known, threshold: threshold) }
        )
    }
}

import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import TensorFlowLite

struct OptimizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "optimize",
        abstract: "Rewrite a model so that it runs faster, and measure how much and how alike its answers are.",
        discussion: """
            Models with uint8 weights become models with int8 weights, which most processors multiply about twice as fast. \
            The slices at the beginning of YOLOX become one convolution. With --threshold, a detector ignores boxes below that \
            confidence before it sorts them. Labels, metadata, names and the types of inputs and outputs stay, so the new file \
            stands in for the old one. Without OUTPUT, the command only measures.

            The times are processor times on one thread; both models take turns in the same run. Answers are compared on the \
            pictures in --pictures, otherwise on generated pictures, which say less.

            Examples:
              sightline optimize plants.tflite fast-plants.tflite --pictures photos/
              sightline optimize coco.tflite --format json

            \(ExitStatus.help(
                success: "the model was rewritten and measured",
                failure: "the model cannot become faster or cannot be read, or the new file cannot be written"
            ))
            """
    )

    @Argument(
        help: "A .tflite model, an AutoML export folder, its manifest.json, or an installed model.",
        completion: .modelOrFile
    )
    var model: String

    @Argument(help: "The file for the rewritten model.", completion: .file())
    var output: String?

    @Option(help: "A folder of pictures on which the answers are compared.", completion: .directory)
    var pictures: String?

    @Option(
        parsing: .unconditional,
        help:
            "The confidence below which no box is ever wanted, 0 to 1. A lower threshold has no effect on the new file."
    )
    var threshold: Float?

    @Option(help: "How to print the report.")
    var format = OutputFormat.table

    func validate() throws {
        if let threshold { try check(threshold, isIn: 0...1, name: "threshold") }
        if output == "" {
            throw ValidationError("The name of the output is empty; perhaps a variable on the command line is not set.")
        }
    }

    func run() throws {
        let local = try ModelArgument.resolve(model, labels: nil)
        let files = try reporting { try pictures.map { try PictureFolder.files(in: $0) } ?? [] }
        let original = try loading { try local.read() }
        if let output { try reporting { try Self.refuse(output, thatIs: original.url) } }
        let optimized = try loading {
            try ModelOptimizer(scoreThreshold: threshold).optimized(local.readTensorFlowLite())
        }
        // The runtime has printed its only line; from here on, standard error shows the progress.
        let comparison = try reporting {
            var line = PictureProgress()
            defer { line.clear() }
            return try ModelComparison(of: local, with: optimized.model, pictures: files) {
                if !files.isEmpty { line.show(done: $0, of: files.count, failed: 0) }
            }
        }
        if let output {
            try reporting { try DurableFile.write(optimized.model.data, to: URL(filePath: output)) }
        }
        let report = OptimizationReport(original, output, optimized, comparison)
        try format.print(report) { report.text }
    }

    /// Throws if the output is the model's own file. Links and other paths lead to the same file.
    private static func refuse(_ output: String, thatIs source: URL) throws {
        var (one, two) = (stat(), stat())
        guard stat(output, &one) == 0, stat(source.path(percentEncoded: false), &two) == 0 else { return }
        guard one.st_ino != two.st_ino || one.st_dev != two.st_dev else {
            throw OptimizeError(
                description: "\(output) is the model itself; name another file for the rewritten model."
            )
        }
    }
}

/// A problem with the command line that only the files show.
private struct OptimizeError: Error, CustomStringConvertible {
    let description: String
}

import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import TensorFlowLite
import TextFormatting

struct OptimizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "optimize",
        abstract: "Rewrite a model so that it runs faster, and measure the gain and the difference of the answers.",
        discussion: """
            Models with uint8 weights become models with int8 weights, which most processors multiply about twice as fast. \
            The slices at the beginning of YOLOX become one convolution, and detectors that were converted from ONNX lose \
            their transposes and scattered columns. With --threshold, a detector ignores boxes below that confidence before it \
            sorts them. Labels, metadata, names and the types of inputs and outputs do not change, so the new file can replace \
            the old one. Without OUTPUT, the command only measures.

            With --calibrate, a model of floats becomes a model of int8: 1.7 to 2.1 times as fast for detectors of five \
            milliseconds or more, 1.2 to 1.5 times for smaller networks. The pictures of the folder show which values its \
            layers compute. Layers that would lose too much stay float, and so does what follows the last layers. It takes up to \
            a few minutes. Without --pictures, every fifth picture of the folder is left out, and the answers are compared on \
            it. With --annotations, the command prints the average precision or the share of right answers of both models.

            The times are processor times on one thread; both models take turns in the same run. Answers are compared on the \
            pictures in --pictures, otherwise on generated pictures, which are less representative.

            Examples:
              sightline optimize plants.tflite fast-plants.tflite --pictures photos/
              sightline optimize coco.tflite --format json
              sightline optimize yolox.tflite fast.tflite --calibrate photos/ \\
                --annotations annotations.json --images annotated/

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

    @OptionGroup var hub: HubArguments

    @OptionGroup var calibration: CalibrationArguments

    @Option(help: "How to print the report.")
    var format = OutputFormat.table

    func validate() throws {
        if let threshold { try check(threshold, isIn: 0...1, name: "threshold") }
        if output == "" {
            throw ValidationError("The name of the output is empty; perhaps a variable on the command line is not set.")
        }
    }

    func run() async throws {
        let local = try ModelArgument.resolve(model, labels: nil, hub: hub.hub)
        let files = try reporting { try pictures.map { try PictureFolder.files(in: $0) } ?? [] }
        let calibrating = try reporting { try calibration.pictures(sparesSome: pictures == nil) }
        let original = try loading { try local.read() }
        if let output { try reporting { try Self.refuse(output, thatIs: original.url) } }
        let optimized = try optimized(original, local, calibrating?.calibrating)
        let compared = files.isEmpty ? calibrating?.comparing ?? [] : files
        // The runtime has printed its only line; from here on, standard error shows the progress.
        let comparison = try reporting {
            var line = PictureProgress()
            defer { line.clear() }
            return try ModelComparison(of: local, with: optimized.model, pictures: compared) {
                if !compared.isEmpty { line.show(done: $0, of: compared.count, failed: 0) }
            }
        }
        let measurement = try await reporting { try await calibration.measurement(of: local, with: optimized) }
        if let output {
            try reporting { try DurableFile.write(optimized.model.data, to: URL(filePath: output)) }
        }
        let report = OptimizationReport(original, output, optimized, comparison, measurement)
        try format.print(report) { report.text }
    }

    /// The rewritten model: calibrated with pictures, if there are any.
    private func optimized(
        _ original: ModelSummary,
        _ local: LocalModel,
        _ pictures: [URL]?
    ) throws -> OptimizedModel {
        guard let pictures else {
            return try loading { try ModelOptimizer(scoreThreshold: threshold).optimized(local.readTensorFlowLite()) }
        }
        // The runtime prints its only line here.
        try loading { try Runtime.load() }
        var line = PictureProgress()
        let result = try loading {
            try ModelCalibration(of: local, pictures: pictures, scoreThreshold: threshold) {
                line.show(done: $0, of: $1, failed: 0)
            }
        }
        line.clear()
        for name in result.unreadable {
            StandardError.report("\(name) cannot be read, so it does not calibrate the model.")
        }
        if result.pictureCount < ModelCalibration.recommendedPictures {
            StandardError.report(
                "The model was calibrated with \(NumberText.count(result.pictureCount, "picture")); "
                    + "with fewer than \(ModelCalibration.recommendedPictures), the ranges of its values are uncertain."
            )
        }
        return result.optimized
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

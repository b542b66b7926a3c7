import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation
import SightlineTraining
import TextFormatting

struct TrainBoxesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boxes",
        abstract: "Make a detector from pictures with drawn boxes, and measure it.",
        discussion: """
            Twenty pictures are a beginning, a hundred are good. Draw a box around each thing of a label in a picture; what has no box counts \
            as nothing. Boxes may come from annotations in COCO's format (also a zip archive with the pictures), a data set of YOLO, a folder \
            of Pascal VOC's XML files, CVAT's XML file, or the JSON that Label Studio exports.

            The built-in detector proposes boxes, and a ready network, cut before its last layer, gets a new last layer that names them or \
            calls them nothing. So the command first says which share of the drawn boxes is proposed: what is never proposed is never found. \
            The network is that of the catalog's mobilenet-v2, which is installed on first use. What is computed of a picture is kept in \
            ${XDG_CACHE_HOME:-~/.cache}/sightline/features, so a second run takes up what an earlier one did, even if it was interrupted.

            A detector has two forms, and both are made: a pair, as ML Kit's custom object detection takes it, and a single file with the \
            outputs of AutoML Vision Edge's detectors, which is the built-in detector with a new last layer. Both are measured on the same \
            pictures; model.tflite, which detect, track, watch and serve take, is the better one, and the other lies beside it.

            The output is a folder: model.tflite, pair.tflite or single.tflite, dict.txt, manifest.json, tflite_metadata.json, report.html, \
            card.json and README.md. All figures are measured on pictures that the measured model did \
            not learn from, nor from any that are nearly the same.

            Examples:
              sightline train boxes annotations.json --images photos/ --output food
              sightline train boxes dataset/data.yaml --output parts
              sightline train boxes voc/ --output birds
              sightline train boxes annotations.json --output food --publish food --stage
              sightline detect photo.jpg --model food

            \(ExitStatus.help(success: "the model is written", failure: "there is no model"))
            """
    )

    @Argument(
        help: """
            Annotations in COCO's format, or a zip archive with them and their pictures; the folder or data.yaml of a data set of YOLO; a \
            folder of Pascal VOC's XML files; CVAT's XML file; or the JSON that Label Studio exports.
            """,
        completion: .file()
    )
    var annotations: String

    @Option(help: "The folder for the model. An earlier model there is replaced.", completion: .directory)
    var output: String

    @Option(
        help:
            "The folder of the pictures (default: the folder images beside the annotations, or the folders of the data set).",
        completion: .directory
    )
    var images: String?

    @Option(
        help: ArgumentHelp(
            "The classifier whose network is used: a model of the catalog, an installed model or a file (default: mobilenet-v2).",
            valueName: "model"
        ),
        completion: .modelOrFile
    )
    var start: String?

    @Option(help: "Another number measures with another division of the pictures.")
    var seed: UInt64 = 0

    @Option(parsing: .unconditional, help: "Pictures that are read at the same time (default: one per core).")
    var workers: Int?

    @Option(help: "How to print what was made: json has the card.")
    var format = OutputFormat.table

    @OptionGroup(title: "Publishing") var publishing: PublishArguments

    func validate() throws {
        if let workers { try check(workers, isIn: 1...256, name: "workers") }
        if output.isEmpty {
            throw ValidationError("The name of the output is empty; perhaps a variable on the command line is not set.")
        }
    }

    func run() async throws {
        let folder = URL(filePath: output, directoryHint: .isDirectory)
        let known = try reporting {
            try TrainedLabels.check(folder)
            return try AnnotatedPictures(
                contentsOf: URL(filePath: annotations),
                pictures: images.map { URL(filePath: $0) }
            )
        }
        try await publishing.check()
        let found = try TrainingStart.find(start)
        var options = BoxTrainerOptions(start: found.model)
        (options.startName, options.startLicense, options.seed) = (found.name, found.license, seed)
        if let workers { options.workers = workers }
        let trainer = try loading { try BoxTrainer(options: options) }
        let trained = try await reporting {
            var output = TrainingOutput(.table)
            defer { output.clear() }
            return try await trainer.train(known, named: folder.standardizedFileURL.lastPathComponent) {
                switch $0 {
                case .reading(let done, let skipped, let total):
                    output.show(.reading(done: done, skipped: skipped, total: total))
                case .covered(let coverage):
                    output.clear()
                    StandardError.report(coverage.sentence)
                case .fitting(let done, let total): output.show(.fitting(done: done, total: total))
                }
            }
        }
        try reporting {
            try Termination.whileWriting { () throws(TrainingError) in try trained.write(to: folder) }
        }
        if let sentence = trained.report.skipped.sentence { StandardError.report(sentence) }
        try format.print(trained.card) { text(trained) }
        try await publishing.publish(
            folder.appending(path: "model.tflite"),
            output: format == .table ? .standardOutput : .standardError
        )
    }

    /// The summary of a training for people.
    private func text(_ trained: TrainedBoxes) -> String {
        let card = trained.card
        let precisions = Dictionary(
            trained.report.categories.map { ($0.name, $0.ap50) },
            uniquingKeysWith: { first, _ in first }
        )
        let table = TextTable(
            columns: [.text("LABEL"), .number("BOXES"), .number("PROPOSED"), .number("AP50")],
            rows: card.coverage.labels.map { label in
                [
                    label.name, "\(label.boxes)",
                    NumberText.percent(Double(label.covered) / Double(max(label.boxes, 1))),
                    precisions[label.name]?.flatMap { NumberText.decimal($0, 3) } ?? "–",
                ]
            }
        )
        var lines = [table.text, "\n\(card.ap50Text), threshold \(card.confidenceThreshold ?? 0). \(card.method)\n"]
        lines.append(card.formsSentence + "\n")
        if card.nearDuplicateCount > 0 {
            lines.append("\(NumberText.grouped(card.nearDuplicateCount, "near-duplicate")) stayed together.\n")
        }
        lines += card.warnings.map { $0 + "\n" }
        let models = card.forms.sorted { $0.form == card.form && $1.form != card.form }
            .map { "\($0.file) (\(NumberText.bytes($0.byteCount)))" }.joined(separator: ", ")
        lines.append("\(output): \(models), dict.txt, manifest.json, tflite_metadata.json, report.html, card.json\n")
        return lines.joined()
    }
}

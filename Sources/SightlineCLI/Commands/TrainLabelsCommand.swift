import ArgumentParser
import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation
import SightlineTraining
import TextFormatting

struct TrainLabelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "labels",
        abstract: "Make a labeler from a folder of pictures for each label, and measure it.",
        discussion: """
            Ten pictures of each label are a beginning, fifty are good. They may also be named by a CSV file as AutoML Vision's \
            (TRAIN,path,label), by annotations in COCO's format, or lie in a zip archive.

            The command cuts a ready network before its last layer and fits a new last layer to the pictures, which takes seconds. The \
            network is that of the catalog's mobilenet-v2, which is installed on first use. Features of pictures are kept in \
            ${XDG_CACHE_HOME:-~/.cache}/sightline/features, so a second run reuses the work of an earlier one, even if that was \
            interrupted.

            The output is a folder: model.tflite with its labels inside, dict.txt and manifest.json as AutoML Vision Edge wrote them, \
            report.html, card.json and README.md. All figures are measured on pictures that the measured model did not learn from, and \
            that are not near copies of those.

            Examples:
              sightline train labels photos/ --output plants
              sightline train labels photos.zip --output plants --nothing other-photos/
              sightline train labels labels.csv --images photos/ --output rooms --several
              sightline train labels photos/ --output plants --publish plants --stage
              sightline label photo.jpg --model plants

            \(ExitStatus.help(success: "the model is written", failure: "there is no model"))
            """
    )

    @Argument(
        help:
            "A folder with a folder of pictures for each label, a CSV file, COCO annotations, or a zip archive of these.",
        completion: .file()
    )
    var pictures: String

    @Option(help: "The folder for the model. An earlier model there is replaced.", completion: .directory)
    var output: String

    @Option(
        help: ArgumentHelp(
            "The classifier whose network is used: a model of the catalog, an installed model or a file (default: mobilenet-v2).",
            valueName: "model"
        ),
        completion: .modelOrFile
    )
    var start: String?

    @Option(help: "The folder of the pictures that a CSV file or annotations name.", completion: .directory)
    var images: String?

    @Option(
        help: "A folder of pictures that show none of the labels. The model learns to give them none.",
        completion: .directory
    )
    var nothing: String?

    @Flag(help: "A picture can have several labels, or none; each label has a probability of its own.")
    var several = false

    @Option(help: "The seed that divides the pictures for measuring.")
    var seed: UInt64 = 0

    @Option(parsing: .unconditional, help: "Pictures that are read at the same time (default: one per core).")
    var workers: Int?

    @Option(help: "How to print the result: json has the card, jsonl also a line for each step.")
    var format = TrainingFormat.table

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
            return try TrainingPictures(
                contentsOf: URL(filePath: pictures),
                images: images.map { URL(filePath: $0) },
                nothing: nothing.map { URL(filePath: $0) },
                severalLabels: several
            )
        }
        try await publishing.check()
        let found = try TrainingStart.find(start)
        var options = LabelTrainerOptions(start: found.model)
        (options.startName, options.startLicense, options.seed) = (found.name, found.license, seed)
        if let workers { options.workers = workers }
        let trainer = try loading { try LabelTrainer(options: options) }
        let trained = try await reporting {
            var progress = TrainingOutput(format)
            defer { progress.clear() }
            return try await trainer.train(known, named: folder.standardizedFileURL.lastPathComponent) {
                progress.show($0)
            }
        }
        try reporting {
            try Termination.whileWriting { () throws(TrainingError) in try trained.write(to: folder) }
        }
        if let sentence = trained.report.skipped.sentence { StandardError.report(sentence) }
        let made = TrainingOutput(format)
        try made.print(trained.card) { text(trained) }
        try await publishing.publish(folder.appending(path: "model.tflite"), output: made.textOutput)
    }

    /// The summary of a training for people.
    private func text(_ trained: TrainedLabels) -> String {
        let card = trained.card
        let threshold = card.confidenceThreshold ?? 0
        let curves = Dictionary(
            trained.report.labels.map { ($0.name, $0.curve) },
            uniquingKeysWith: { first, _ in first }
        )
        let table = TextTable(
            columns: [.text("LABEL"), .number("PICTURES"), .number("RECALL"), .number("PRECISION")],
            rows: card.labels.map { label in
                let point = curves[label.name]?.point(at: threshold)
                return [
                    label.name, "\(label.pictures)", point?.recall.map { NumberText.percent($0) } ?? "–",
                    point?.precision.map { NumberText.percent($0) } ?? "–",
                ]
            }
        )
        var lines = [table.text, "\n\(card.rightText), threshold \(threshold). \(card.method)\n"]
        if card.nearDuplicateCount > 0 {
            lines.append("\(NumberText.grouped(card.nearDuplicateCount, "near-duplicate")) stayed together.\n")
        }
        lines += ([card.unrelatedSentence].compactMap(\.self) + card.warnings).map { $0 + "\n" }
        lines.append(
            "\(output): model.tflite (\(NumberText.bytes(card.byteCount))), dict.txt, manifest.json, report.html, card.json\n"
        )
        return lines.joined()
    }
}

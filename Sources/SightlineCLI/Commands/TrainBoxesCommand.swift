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
            Twenty pictures are a beginning, a hundred are good. Draw a box around each thing of a label in a picture; things without a box count \
            as nothing. Boxes may come from annotations in COCO's format (also a zip archive with the pictures), a data set of YOLO, a folder \
            of Pascal VOC's XML files, CVAT's XML file, or the JSON that Label Studio exports.

            The built-in detector proposes boxes, and a ready network, cut before its last layer, gets a new last layer that names them or \
            calls them nothing. So the command first says which share of the drawn boxes is proposed: things that are never proposed are never found. \
            The network is that of the catalog's mobilenet-v2, which is installed on first use. Features of pictures are kept in \
            ${XDG_CACHE_HOME:-~/.cache}/sightline/features, so a second run reuses the work of an earlier one, even if that was interrupted.

            A detector has two forms, and both are made: a pair, as ML Kit's custom object detection takes it, and a single file with the \
            outputs of AutoML Vision Edge's detectors, which is the built-in detector with a new last layer. Both are measured on the same \
            pictures; model.tflite, which detect, track, watch and serve take, is the better one, and the other lies next to it.

            The output is a folder: model.tflite with its labels in dict.txt, the other form as pair.tflite with pair.txt or \
            single.tflite with single.txt, manifest.json, tflite_metadata.json, report.html, \
            card.json and README.md. All figures are measured on pictures that the measured model did not learn from, and that are not \
            near copies of those.

            Examples:
              sightline train boxes annotations.json --images photos/ --output food
              sightline train boxes dataset/data.yaml --output parts
              sightline train boxes voc/ --output birds
              sightline train boxes annotations.json --output food --publish food --stage
              sightline detect photo.jpg --model food

            \(TrainArguments.exitCodes)
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

    @Option(
        help:
            "The folder of the pictures (default: the folder images beside the annotations, or the folders of the data set).",
        completion: .directory
    )
    var images: String?

    @OptionGroup var training: TrainArguments

    @OptionGroup(title: "Publishing") var publishing: PublishArguments

    func run() async throws {
        let known = try training.reading {
            try AnnotatedPictures(
                contentsOf: URL(filePath: annotations),
                pictures: images.map { URL(filePath: $0) }
            )
        }
        try await publishing.check()
        let trainer = try training.trainer { try BoxTrainer(options: BoxTrainerOptions($0)) }
        let trained = try await training.training {
            try await trainer.train(known, named: training.name, progress: $0)
        }
        try await training.finish(trained.card, skipped: trained.report.skipped, publishing) {
            folder throws(TrainingError) in
            try trained.write(to: folder)
        } text: {
            text(trained)
        }
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
        let models = card.forms.sorted { $0.form == card.form && $1.form != card.form }
        let threshold = card.confidenceThreshold ?? 0
        return training.summary(
            table,
            figures: "\(card.ap50Text), threshold \(threshold). \(card.method)\n\(card.formsSentence)",
            nearDuplicates: card.nearDuplicateCount,
            remarks: card.warnings,
            files: models.map { "\($0.file) (\(NumberText.bytes($0.byteCount)))" } + models.map(\.labelsFile)
                + ["manifest.json", "tflite_metadata.json"]
        )
    }
}

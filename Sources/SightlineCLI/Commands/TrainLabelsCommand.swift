import ArgumentParser
import CommandLineSupport
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

            \(TrainArguments.exitCodes)
            """
    )

    @Argument(
        help:
            "A folder with a folder of pictures for each label, a CSV file, COCO annotations, or a zip archive of these.",
        completion: .file()
    )
    var pictures: String

    @Option(help: "The folder of the pictures that a CSV file or annotations name.", completion: .directory)
    var images: String?

    @Option(
        help: "A folder of pictures that show none of the labels. The model learns to give them none.",
        completion: .directory
    )
    var nothing: String?

    @Flag(help: "A picture can have several labels, or none; each label has a probability of its own.")
    var several = false

    @Flag(
        help: """
            The pictures show one scene, such as a gate before a fixed camera, so that pictures that look alike need not stay together when the \
            model is measured. For the state of a thing in `sightline watch`.
            """
    )
    var oneScene = false

    @OptionGroup var training: TrainArguments

    @OptionGroup(title: "Publishing") var publishing: PublishArguments

    func run() async throws {
        let known = try training.reading {
            try TrainingPictures(
                contentsOf: URL(filePath: pictures),
                images: images.map { URL(filePath: $0) },
                nothing: nothing.map { URL(filePath: $0) },
                severalLabels: several
            )
        }
        try await publishing.check()
        let trainer = try training.trainer {
            var options = LabelTrainerOptions($0)
            options.picturesShowOneScene = oneScene
            return try LabelTrainer(options: options)
        }
        let trained = try await training.training { show in
            try await trainer.train(known, named: training.name) {
                switch $0 {
                case .reading(let done, let skipped, let total):
                    show(.reading(done: done, skipped: skipped, total: total))
                case .fitting(let done, let total): show(.fitting(done: done, total: total))
                }
            }
        }
        try await training.finish(trained.card, skipped: trained.report.skipped, publishing) {
            folder throws(TrainingError) in
            try trained.write(to: folder)
        } text: {
            text(trained)
        }
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
        return training.summary(
            table,
            figures: "\(card.rightText), threshold \(threshold). \(card.method)",
            nearDuplicates: card.nearDuplicateCount,
            remarks: [card.unrelatedSentence].compactMap(\.self) + card.warnings,
            files: ["model.tflite (\(NumberText.bytes(card.byteCount)))", "dict.txt", "manifest.json"]
        )
    }
}

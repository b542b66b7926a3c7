import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// A trained detector: a classifier of the built-in detector's boxes, with its figures.
public struct TrainedBoxes: Sendable {
    /// The bytes of `model.tflite`: a classifier with its labels, and a sidecar inside that makes it a detector.
    public let model: Data
    /// The labels in the order of the model's outputs. The first, `background`, is that of nothing.
    public let labels: [String]
    /// The figures, measured on pictures from which the measured model did not learn.
    public let report: BoxReport
    /// The share of drawn boxes that the built-in detector proposes.
    public var coverage: ProposalCoverage { card.coverage }
    /// The pictures and the figures of the model.
    public let card: BoxTrainingCard
    private let files: PictureFiles

    init(
        _ summary: BoxTrainingSummary,
        model: Model,
        _ description: ModelSidecar.Proposals,
        start: TrainingCard.Start
    ) {
        self.model = model.data
        labels = summary.pictures.labels
        files = summary.pictures.files
        let sha256 = SHA256.hexadecimalDigest(of: model.data)
        var report = summary.report
        report.model = EvaluatedModel(name: summary.name, sha256: sha256, byteCount: model.data.count)
        report.seconds = (.now - summary.began) / .seconds(1)
        self.report = report
        let ap50 = report.summary?.ap50 ?? 0
        card = BoxTrainingCard(
            name: summary.name,
            sha256: sha256,
            byteCount: model.data.count,
            created: Date.now.formatted(.iso8601),
            start: start,
            source: summary.pictures.name,
            dataSHA256: summary.dataHash,
            coverage: summary.coverage,
            coveredShare: summary.coverage.share,
            pictureCount: summary.scenes.count,
            skippedCount: summary.skipped.count,
            nearDuplicateCount: summary.validation.redundantCount,
            measuredCount: summary.validation.measured.count,
            method: summary.method,
            ap50: ap50,
            ap50Lower: min(summary.interval?.lowerBound ?? 0, ap50),
            ap50Upper: max(summary.interval?.upperBound ?? 1, ap50),
            ap: report.summary?.ap ?? 0,
            confidenceThreshold: report.bestThreshold,
            proposals: description,
            freedom: summary.validation.freedom,
            warnings: summary.warnings
        )
    }

    /// The report as one HTML file: the figures and the pictures with mistakes.
    public var html: String {
        var facts = [
            card.coverage.sentence,
            "\(card.method) \(card.ap50Text): with a probability of 95 %, the mean for other pictures like these lies in this range.",
            "The model began with \(card.start.name)" + (card.start.license.map { " (\($0))" } ?? "")
                + " and learned from \(card.pictureCount) pictures.",
        ]
        if card.nearDuplicateCount > 0 {
            let plural = card.nearDuplicateCount == 1 ? "picture is" : "pictures are"
            facts.append(
                "\(card.nearDuplicateCount) \(plural) nearly the same as another one. Such pictures were never learned from and measured at once."
            )
        }
        let preface = ReportPreface(
            title: "\(card.name), trained on \(card.source)",
            author: "sightline train boxes",
            facts: facts,
            warnings: card.warnings,
            doubts: []
        )
        return report.html(pictures: files, ThresholdChoice(), preface: preface)
    }

    /// Writes the model's folder: complete, or not at all.
    ///
    /// The folder has `model.tflite`, which `sightline detect --model` and ML Kit's custom object detection take, `dict.txt`,
    /// `manifest.json`, `report.html`, `card.json` and `README.md`. An earlier folder of a trained model is replaced.
    ///
    /// Waits for the disk, so call it where that does not matter.
    ///
    /// - Throws: ``TrainingError/foreignFolder(path:)`` if the folder holds something else, ``TrainingError/unwritable(path:reason:)``.
    public func write(to folder: URL) throws(TrainingError) {
        try TrainedLabels.write(to: folder) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let manifest = """
                {
                  "modelType": "IMAGE_OBJECT_DETECTION",
                  "modelFile": "model.tflite",
                  "labelsFile": "dict.txt"
                }

                """
            return [
                ("model.tflite", model), ("dict.txt", Data(labels.map { $0 + "\n" }.joined().utf8)),
                ("manifest.json", Data(manifest.utf8)), ("report.html", Data(html.utf8)),
                ("README.md", Data(readme.utf8)), ("card.json", try encoder.encode(card) + Data("\n".utf8)),
            ]
        }
    }

    private var readme: String {
        let rows = card.coverage.labels.map {
            "| \($0.name.replacing("|", with: "\\|")) | \($0.boxes) | \($0.covered) |\n"
        }
        .joined()
        let warnings = card.warnings.map { "* \($0)\n" }.joined()
        return """
            # \(card.name)

            A detector of \(card.coverage.labels.count) labels, trained on \(card.coverage.boxCount) boxes in \(card.pictureCount) pictures of \
            \(card.source) on \(card.created.prefix(10)) with `sightline train boxes`.

            \(card.ap50Text). \(card.method) [The report](report.html) has all figures.

            \(card.coverage.sentence)

            | Label | Boxes | Proposed |
            |--|--:|--:|
            \(rows)
            `sightline detect photo.jpg --model FOLDER` runs it. `model.tflite` is a classifier of the boxes of another detector, as ML Kit's custom \
            object detection takes it; its label `background` means nothing. Objects below a confidence of \
            \(card.confidenceThreshold.map { "\($0)" } ?? "0") are dropped unless another threshold is given.
            \(warnings.isEmpty ? "" : "\n\(warnings)")
            The network is that of \(card.start.name)\(card.start.license.map { " (\($0))" } ?? ""); only its last layer is new.

            """
    }
}

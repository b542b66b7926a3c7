import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation
import TensorFlowLite

/// A trained detector in both of its forms, with its figures.
public struct TrainedBoxes: Sendable {
    /// The bytes of `model.tflite`: the form that finds more in pictures from which it did not learn.
    public var model: Data { card.form == .pair ? pair : single }
    /// The bytes of the pair: a classifier with its labels, and a sidecar inside that makes it a detector together with the built-in one.
    public let pair: Data
    /// The bytes of the single file: a detector with its labels, whose outputs are boxes, classes, scores and count.
    public let single: Data
    /// The labels in the order of the outputs of `model.tflite`. The first of a pair, `background`, is that of nothing.
    public var labels: [String] { labels(of: card.form) }
    private let pairLabels: [String]

    /// The labels of a form, in the order of its classes.
    private func labels(of form: BoxForm) -> [String] { form == .pair ? pairLabels : Array(pairLabels.dropFirst()) }

    /// The figures, measured on pictures from which the measured model did not learn.
    public let report: BoxReport
    /// The share of drawn boxes that the built-in detector proposes.
    public var coverage: ProposalCoverage { card.coverage }
    /// The pictures and the figures of the model.
    public let card: BoxTrainingCard
    private let files: PictureFiles
    private let singleInput: PixelSize
    private static let modelName = "model.tflite"

    init(
        _ summary: BoxTrainingSummary,
        pair: Model,
        single: Model,
        singleInput: PixelSize,
        _ description: ModelSidecar.Proposals,
        start: TrainingCard.Start
    ) {
        (self.pair, self.single, self.singleInput) = (pair.data, single.data, singleInput)
        pairLabels = summary.pictures.labels
        files = summary.pictures.files
        let best = summary.best
        let forms = [(summary.pair, pair.data), (summary.single, single.data)].map { measured, data in
            measured.described(
                data,
                file: measured.form == best.form ? Self.modelName : "\(measured.form.rawValue).tflite",
                sha256: SHA256.hexadecimalDigest(of: data)
            )
        }
        let form = forms.first { $0.form == best.form } ?? forms[0]
        var report = best.report
        report.model = EvaluatedModel(name: summary.name, sha256: form.sha256, byteCount: form.byteCount)
        report.seconds = (.now - summary.began) / .seconds(1)
        self.report = report
        card = BoxTrainingCard(
            name: summary.name,
            form: form.form,
            forms: forms,
            sha256: form.sha256,
            byteCount: form.byteCount,
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
            ap50: form.ap50,
            ap50Lower: form.ap50Lower,
            ap50Upper: form.ap50Upper,
            ap: form.ap,
            confidenceThreshold: form.confidenceThreshold,
            proposals: description,
            freedom: form.freedom,
            warnings: summary.warnings
        )
    }

    /// The report as one HTML file: the figures and the pictures with mistakes.
    public var html: String {
        var facts = [
            card.coverage.sentence,
            "\(card.method) \(card.ap50Text): with a probability of 95 %, the mean for other pictures like these lies in this range.",
            "\(card.formsSentence) The pair began with \(card.start.name)"
                + (card.start.license.map { " (\($0))" } ?? "")
                + ", the single file with the built-in detector; both learned from \(card.pictureCount) pictures.",
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
    /// The folder has `model.tflite`, which `sightline detect --model` takes, the other form as `pair.tflite` or `single.tflite`,
    /// the labels of each (`dict.txt`, and `pair.txt` or `single.txt`), `manifest.json`, `tflite_metadata.json`, `report.html`,
    /// `card.json` and `README.md`. An earlier folder of a trained model is replaced.
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
                ("manifest.json", Data(manifest.utf8)), ("tflite_metadata.json", Data(detectorMetadata.utf8)),
                ("report.html", Data(html.utf8)), ("README.md", Data(readme.utf8)),
                ("card.json", try encoder.encode(card) + Data("\n".utf8)),
            ]
                + card.forms.flatMap { form in
                    [
                        (form.file, form.form == .pair ? pair : single),
                        (form.labelsFile, Data(labels(of: form.form).map { $0 + "\n" }.joined().utf8)),
                    ]
                }
        }
    }

    /// The numbers of the single file that an app needs, as AutoML Vision Edge wrote them.
    private var detectorMetadata: String {
        """
        {
          "modelFile": "\(card.forms.first { $0.form == .single }?.file ?? Self.modelName)",
          "imageWidth": \(singleInput.width),
          "imageHeight": \(singleInput.height),
          "maxDetections": \(CellTrunk.maximumObjects)
        }

        """
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
            \(card.formsSentence)

            `sightline detect photo.jpg --model FOLDER` runs `model.tflite`. The single file has the outputs boxes, classes, scores and count of a \
            detector of AutoML Vision Edge; `tflite_metadata.json` has its numbers. The pair is a classifier of the boxes of another detector, as \
            ML Kit's custom object detection takes it; its label `background` means nothing. Objects below a confidence of \
            \(card.confidenceThreshold.map { "\($0)" } ?? "0") are dropped unless another threshold is given.
            \(warnings.isEmpty ? "" : "\n\(warnings)")
            The network of the pair is that of \(card.start.name)\(card.start.license.map { " (\($0))" } ?? ""), that of the single file is the \
            built-in detector (Apache-2.0); only their last layers are new.

            """
    }
}

/// A picture in which the measured model finds other things than those that are drawn.
package struct DoubtfulBoxes: Sendable, Hashable {
    /// The picture's path.
    package var path: String
    /// The difference in words, for example `rose 93 % has no box`.
    package var difference: String
    /// The confidence of the thing without a box that is most confident; 0 if only drawn boxes were missed.
    package var confidence: Double
    /// The boxes that the model found without a drawn box of its label.
    package var found: [BoxReport.PictureBox]
}

extension TrainedBoxes {
    /// The twelve pictures in which the model differs most from the drawn boxes, the most different first.
    ///
    /// A confident find without a box is often a forgotten box or a wrong label, so it comes before drawn boxes that were not found.
    package var doubtful: [DoubtfulBoxes] {
        let all = report.pictures.compactMap { picture -> DoubtfulBoxes? in
            let wrong = picture.boxes.filter { $0.outcome == .wrong }
                .sorted { $0.confidence ?? 0 > $1.confidence ?? 0 }
            let missed = picture.boxes.filter { $0.outcome == .missed }
            guard !wrong.isEmpty || !missed.isEmpty else { return nil }
            let confidence = min(max(wrong.first?.confidence ?? 0, 0), 1)
            let first = wrong.first.map { "\($0.label) \(Int((confidence * 100).rounded())) % has no box" }
            let names = Set(missed.map(\.label)).sorted().prefix(3).joined(separator: ", ")
            let second = missed.isEmpty ? nil : "\(names) not found"
            return DoubtfulBoxes(
                path: picture.path,
                difference: [first, second].compactMap(\.self).joined(separator: "; "),
                confidence: confidence,
                found: wrong
            )
        }
        // Of equal ones, the picture with more mistakes comes first, as in the report.
        return Array(
            all.enumerated()
                .sorted { ($1.element.confidence, $0.offset) < ($0.element.confidence, $1.offset) }
                .map(\.element).prefix(12)
        )
    }

    /// The detector's sentences for people: its figures, the way in which they were measured, and possible faults of the pictures.
    package var notes: String {
        (["\(card.ap50Text). \(card.method)", card.coverage.sentence, card.formsSentence] + card.warnings)
            .joined(separator: "\n")
    }
}

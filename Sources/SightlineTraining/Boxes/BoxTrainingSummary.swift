import DurableFiles
import Foundation
import Sightline
import SightlineEvaluation

/// The figures and the faults of a training from boxes, before its model exists.
struct BoxTrainingSummary: Sendable {
    let name: String
    let options: BoxTrainerOptions
    let pictures: BoxTrainingPictures
    let scenes: [ReadScene]
    let skipped: SkippedPictures
    let coverage: ProposalCoverage
    let validation: BoxValidation
    let began: ContinuousClock.Instant
    /// The pair and the single file, measured on the same pictures.
    let pair: MeasuredForm
    let single: MeasuredForm
    /// The better of both.
    var best: MeasuredForm { pair.ap50 > single.ap50 ? pair : single }

    init(
        name: String,
        options: BoxTrainerOptions,
        pictures: BoxTrainingPictures,
        scenes: [ReadScene],
        skipped: SkippedPictures,
        coverage: ProposalCoverage,
        validation: BoxValidation,
        grids: GridValidation,
        began: ContinuousClock.Instant
    ) {
        (self.name, self.options, self.pictures, self.scenes) = (name, options, pictures, scenes)
        (self.skipped, self.coverage, self.validation, self.began) = (skipped, coverage, validation, began)
        // No label is measured in a crowd, so the annotations list each crowd once for each label.
        let crowds = validation.measured.reduce(0) { $0 + scenes[$1].crowds.count }
        func measured(_ form: BoxForm, _ found: BoxDetections, _ freedom: Double, _ exponent: Float) -> MeasuredForm {
            MeasuredForm(
                form,
                found,
                freedom: freedom,
                exponent: exponent,
                on: validation,
                skipped: skipped,
                crowds: crowds,
                seed: options.seed
            )
        }
        pair = measured(.pair, validation.detections, validation.freedom, validation.exponent)
        single = measured(.single, grids.detections, grids.freedom, grids.exponent)
    }

    /// A sentence about the model.
    var description: String {
        "Objects of \(pictures.name): \(pictures.labels.count - 1) labels, \(coverage.boxCount) boxes in \(scenes.count) pictures."
    }

    /// The way in which the figures were measured, as a sentence.
    var method: String {
        let count = validation.measured.count
        if validation.measuresAll {
            return
                "Each of \(count) pictures was measured by one of \(validation.parts) models that learned from the other parts of the pictures."
        }
        return
            "The figures are those of a model that learned from \(validation.parts - 1) of \(validation.parts) parts of the pictures, on "
            + "\(count) pictures of the other part."
    }

    /// Possible faults of the pictures, as sentences.
    var warnings: [String] {
        var sentences = (validation.isOneScene ? [NearDuplicates.oneSceneWarning] : []) + coverage.warnings
        let few = coverage.labels.filter { $0.boxes < 10 }
        if !few.isEmpty {
            let listed = few.prefix(5).map { "\($0.name) \($0.boxes)" }.joined(separator: ", ")
            let more = few.count > 5 ? " and \(few.count - 5) more labels" : ""
            sentences.append(
                "Few boxes: \(listed)\(more). From 10 on, figures begin to be reliable; 50 are good."
            )
        }
        let lost = scenes.reduce(0) { $0 + $1.lostCount }
        if lost > 0 {
            let subject = lost == 1 ? "1 box lies" : "\(lost) boxes lie"
            let first = scenes.first { $0.lostCount > 0 }?.picture.path ?? ""
            sentences.append("\(subject) outside of the picture or without area, the first in \(first); left out.")
        }
        if pictures.nothingCount > 0 {
            sentences.append(
                "\(pictures.nothingCount) boxes of the label \(TrainingPictures.background) were left out: places without a drawn box teach that."
            )
        }
        let groups = Set(validation.groups).count
        if scenes.count >= 4, groups * 2 < scenes.count {
            sentences.append(
                "Most pictures are nearly the same: \(scenes.count) pictures show \(groups) scenes. Take pictures at other places and times."
            )
        }
        return sentences
    }

    /// The SHA-256 of the pictures' bytes and boxes, independent of their names and order.
    var dataHash: String {
        let lines = scenes.map { scene in
            let boxes = scene.drawn.map {
                "\(pictures.labels[$0.label]) \($0.frame.x) \($0.frame.y) \($0.frame.width) \($0.frame.height)"
            }
            return scene.digest.hexadecimalText + " " + boxes.sorted().joined(separator: ",")
        }
        return SHA256.hexadecimalDigest(of: Data(lines.sorted().joined(separator: "\n").utf8))
    }
}

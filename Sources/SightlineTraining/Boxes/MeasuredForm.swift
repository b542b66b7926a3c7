import Foundation
import Sightline
import SightlineEvaluation

/// The forms of a trained detector.
public enum BoxForm: String, Sendable, Hashable, Codable, CaseIterable {
    /// A classifier of the built-in detector's boxes, as ML Kit's custom object detection takes it.
    case pair
    /// One file with the outputs boxes, classes, scores and count, as AutoML Vision Edge wrote it: the built-in detector with a new last
    /// layer.
    case single

    /// The form as the subject of a sentence.
    var name: String { self == .pair ? "the pair" : "the single file" }
}

/// A form of a detector with its figures, before its file exists.
struct MeasuredForm: Sendable {
    let form: BoxForm
    /// The inverse of the penalty on the weights.
    let freedom: Double
    /// The power of the built-in detector's confidence.
    let exponent: Float
    /// The figures, without the model.
    let report: BoxReport
    /// The range of AP at IoU .50 for other pictures like these.
    let interval: ClosedRange<Double>?

    /// Measures what was found in pictures that the form did not learn from.
    init(
        _ form: BoxForm,
        _ detections: BoxDetections,
        freedom: Double,
        exponent: Float,
        on validation: BoxValidation,
        skipped: SkippedPictures,
        crowds: Int,
        seed: UInt64
    ) {
        (self.form, self.freedom, self.exponent) = (form, freedom, exponent)
        var report = BoxReport(validation.known, detections)
        report.skipped = skipped
        report.crowdCount = crowds
        self.report = report
        var random = RepeatableRandom(seed: seed &+ 50)
        interval = BoxReport.ap50Interval(
            validation.known,
            detections,
            groups: validation.measured.map { validation.groups[$0] },
            using: &random
        )
    }

    var ap50: Double { report.summary?.ap50 ?? 0 }
    /// The threshold with the best F1.
    var threshold: Double? { report.bestThreshold }

    /// The figures as the card has them.
    func described(_ model: Data, file: String, sha256: String) -> BoxTrainingCard.Form {
        BoxTrainingCard.Form(
            form: form,
            file: file,
            sha256: sha256,
            byteCount: model.count,
            ap50: ap50,
            ap50Lower: min(interval?.lowerBound ?? 0, ap50),
            ap50Upper: max(interval?.upperBound ?? 1, ap50),
            ap: report.summary?.ap ?? 0,
            confidenceThreshold: threshold,
            exponent: exponent,
            freedom: freedom
        )
    }
}

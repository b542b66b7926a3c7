import Foundation
import Sightline

/// The pictures and the figures of a trained detector: `card.json` in its folder.
public struct BoxTrainingCard: Sendable, Hashable, Codable {
    /// A form of the detector with its figures, measured on the same pictures as the other form.
    public struct Form: Sendable, Hashable, Codable {
        /// The form.
        public var form: BoxForm
        /// The name of its file in the folder.
        public var file: String
        /// The name of the text file with its labels, one on each line, in the order of its classes.
        public var labelsFile: String { file == "model.tflite" ? "dict.txt" : "\(form.rawValue).txt" }
        /// The SHA-256 of the file.
        public var sha256: String
        /// The size of the file in bytes.
        public var byteCount: Int
        /// The mean over the labels of average precision at IoU .50.
        public var ap50: Double
        /// The lower end of the range in which this mean lies with a probability of 95 %.
        public var ap50Lower: Double
        /// The upper end of this range.
        public var ap50Upper: Double
        /// The mean of average precision over IoU .50:.05:.95.
        public var ap: Double
        /// The confidence below which the model reports no object; nil if no object was found.
        public var confidenceThreshold: Double?
        /// The power of the built-in detector's confidence in the confidence of an object.
        public var exponent: Float
        /// The inverse of the penalty on the weights.
        public var freedom: Double
    }

    /// The model's name.
    public var name: String
    /// The form of `model.tflite`: the one with the greater ``Form/ap50``.
    public var form: BoxForm
    /// Both forms; the figures of this card are those of ``form``.
    public var forms: [Form]
    /// The SHA-256 of the model's file.
    public var sha256: String
    /// The size of the model's file in bytes.
    public var byteCount: Int
    /// The moment of the training, as ISO 8601 has it, in UTC.
    public var created: String
    /// The model from which the training began.
    public var start: TrainingCard.Start
    /// The name of the file or folder of annotations.
    public var source: String
    /// The SHA-256 of all pictures and boxes, independent of their names and order.
    public var dataSHA256: String
    /// The labels with the number of their boxes, and of those that the built-in detector proposes.
    public var coverage: ProposalCoverage
    /// The share of drawn boxes that the built-in detector proposes.
    public var coveredShare: Double
    /// The number of pictures that could be used.
    public var pictureCount: Int
    /// The number of pictures that could not be used.
    public var skippedCount: Int
    /// The number of pictures that are nearly the same as another one.
    public var nearDuplicateCount: Int
    /// The number of pictures on which the figures were measured.
    public var measuredCount: Int
    /// The way in which the figures were measured, in one sentence.
    public var method: String
    /// The mean over the labels of average precision at IoU .50.
    public var ap50: Double
    /// The lower end of the range in which this mean lies with a probability of 95 %.
    public var ap50Lower: Double
    /// The upper end of this range.
    public var ap50Upper: Double
    /// The mean of average precision over IoU .50:.05:.95.
    public var ap: Double
    /// The confidence below which the model reports no object; nil if no object was found.
    public var confidenceThreshold: Double?
    /// The formula of the confidence of an object in the pair.
    public var proposals: ModelSidecar.Proposals
    /// The inverse of the penalty on the weights.
    public var freedom: Double
    /// Possible faults of the pictures, in sentences.
    public var warnings: [String]

    /// The figure with its range, for example `mAP50 .652 (.601 to .694)`.
    package var ap50Text: String {
        "mAP50 \(Self.text(ap50)) (\(Self.text(ap50Lower)) to \(Self.text(ap50Upper)))"
    }

    /// Both forms' figures, and the reason of the choice, as a sentence.
    package var formsSentence: String {
        guard let best = forms.first(where: { $0.form == form }), let other = forms.first(where: { $0.form != form })
        else { return "" }
        let reason = best.ap50 > other.ap50 ? "finds more" : "finds as much and is faster"
        return "On the same pictures, \(best.form.name) reaches mAP50 \(Self.text(best.ap50)) and \(other.form.name) "
            + "\(Self.text(other.ap50)): \(best.file) is \(best.form.name), since it \(reason); \(other.file) is \(other.form.name)."
    }

    private static func text(_ number: Double) -> String {
        let thousandths = Int((number * 1000).rounded())
        let digits = String(thousandths % 1000 + 1000).dropFirst()
        return thousandths >= 1000 ? "1.\(digits)" : ".\(digits)"
    }
}

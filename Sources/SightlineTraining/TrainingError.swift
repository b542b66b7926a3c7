import Foundation

/// A reason why a model cannot be trained.
///
/// Pictures and annotations that cannot be read at all are reported as `EvaluationError`, the start's files as `LocalModelError`.
public enum TrainingError: Error, Sendable, Hashable {
    /// A model needs pictures of at least two labels, or of one label and of nothing.
    case tooFewLabels(found: [String], path: String)
    /// No picture of a label can be used; `reason` is that of the first.
    case noUsablePicture(label: String, reason: String)
    /// There is no drawn box.
    case noBoxes(path: String)
    /// No box of a label can be used; `reason` is that of the first.
    case noUsableBox(label: String, reason: String)
    /// The built-in detector proposes none of the drawn boxes.
    case nothingProposed(boxes: Int)
    /// A file of labels cannot be read; `reason` is a clause.
    case malformed(path: String, reason: String)
    /// A label cannot be a line of a text file.
    case invalidLabel(String)
    /// There are too many labels.
    case tooManyLabels(count: Int, maximum: Int)
    /// All pictures are equal files, so none can be held out.
    case nothingToHoldOut
    /// The folder for the model holds something else.
    case foreignFolder(path: String)
    /// The model's folder cannot be written.
    case unwritable(path: String, reason: String)
}

extension TrainingError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    public var description: String {
        switch self {
        case .tooFewLabels(let found, let path):
            "\(path) has pictures of \(found.isEmpty ? "no label" : "one label, \(found.joined(separator: ", "))"), but a model "
                + "tells at least two apart; create a folder for each label, or name pictures without the label as those of nothing."
        case .noUsablePicture(let label, let reason):
            "No picture of \(label) can be used; add pictures, or remove the label. The first one: \(reason)"
        case .noBoxes(let path):
            "\(path) has no boxes; draw a box around each thing that the model should find."
        case .noUsableBox(let label, let reason):
            "No box of \(label) can be used; draw boxes in the pictures, or remove the label. The first one: \(reason)"
        case .nothingProposed(let boxes):
            "The built-in detector proposes none of the \(boxes) drawn boxes, so a model of these things would find nothing; take the "
                + "pictures from a shorter distance."
        case .malformed(let path, let reason):
            "\(path) cannot be used: \(reason)."
        case .invalidLabel(let label):
            "The label \"\(label.replacing("\n", with: "\\n").replacing("\r", with: "\\r"))\" is empty or has a line break; rename it."
        case .tooManyLabels(let count, let maximum):
            "There are \(count) labels, and the limit is \(maximum); train on fewer."
        case .nothingToHoldOut:
            "All pictures are copies of one file, so no picture can be held out to measure the model; add other pictures."
        case .foreignFolder(let path):
            "\(path) exists and is not the folder of a trained model; name another folder, or remove it."
        case .unwritable(let path, let reason):
            "\(path) cannot be written: \(reason)."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}

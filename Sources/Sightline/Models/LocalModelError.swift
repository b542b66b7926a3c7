import Foundation
import TensorFlowLite

/// Why a model's files cannot be used.
public enum LocalModelError: Error, Sendable, Hashable {
    /// There is no such file, or it cannot be read.
    case unreadable(path: String, reason: String)
    /// The file is not a model that the runtime can run.
    case unusable(path: String, reason: ModelError)
    /// The manifest of an AutoML export is damaged or names files that are not there.
    case manifest(path: String, reason: String)
    /// The archive does not hold a model that can be unpacked.
    case bundle(path: String, reason: String)
    /// The sidecar file beside the model is damaged or contradicts the model.
    case sidecar(path: String, reason: String)
    /// The label file cannot be read as text.
    case labels(source: String, reason: String)
    /// The number of names in the label file differs from the number of the model's classes.
    case labelCount(model: String, source: String, labels: Int, classes: Int)
    /// The model's input is not one picture.
    case input(model: String, reason: String)
    /// The model's outputs do not fit the task.
    case output(model: String, reason: String)
    /// The library that runs such models is missing, or it cannot run this one.
    case runtime(model: String, reason: String)
    /// The resource bundle with the built-in models is not next to the program.
    case missingBuiltIn(file: String, searched: [String])
    /// The file of a built-in model is damaged.
    case damagedBuiltIn(path: String, reason: ModelError)
}

extension LocalModelError: CustomStringConvertible, LocalizedError {
    /// One sentence: the problem, its place, and the next step.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "Cannot read the model \(path): \(reason); check the path."
        case .unusable(let path, let reason):
            "Cannot use the model \(path): \(reason)"
        case .manifest(let path, let reason):
            "The manifest \(path) cannot be used: \(reason); export the model again or name the model's file itself."
        case .bundle(let path, let reason):
            "The archive \(path) cannot be used: \(reason); download it again, or unpack it and name the .tflite or .onnx file itself."
        case .sidecar(let path, let reason):
            "The sidecar file \(path) cannot be used: \(reason); correct it or remove it."
        case .labels(let source, let reason):
            "The labels in \(source) cannot be used: \(reason); save them as UTF-8 text with one name a line."
        case .labelCount(let model, let source, let labels, let classes):
            "\(source) has \(labels) labels but \(model) has \(classes) classes; give the label file that belongs to the model."
        case .input(let model, let reason):
            "\(model) does not take a picture: \(reason); `sightline inspect` shows its inputs."
        case .output(let model, let reason):
            "\(model) cannot be used for this task: \(reason); `sightline inspect` shows its outputs."
        case .runtime(let model, let reason):
            "\(model) cannot run: \(reason)"
        case .missingBuiltIn(let file, let searched):
            "The built-in model \(file) is not next to the program (looked in \(searched.joined(separator: ", "))); copy the "
                + "folder \(BuiltInModel.bundleName) from the build folder next to the program, or name another model."
        case .damagedBuiltIn(let path, let reason):
            "The built-in model \(path) is damaged (\(reason.clause)); build the package again, copy its "
                + "\(BuiltInModel.bundleName) again, or name another model."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}

extension ModelError {
    /// The problem in a few words, without a next step, since a built-in model has another next step.
    fileprivate var clause: String {
        switch self {
        case .unreadable(_, let reason), .corrupted(let reason): reason
        case .empty: "it has no bytes"
        case .notAModel(let found, _): "it is \(found)"
        default: "\(self)"
        }
    }
}

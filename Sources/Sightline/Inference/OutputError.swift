import Foundation

/// The reason why a model's output cannot be used.
public enum OutputError: Error, Sendable, Hashable {
    /// An output holds NaN or infinity where a confidence or coordinate should be.
    case notFinite(model: String, tensor: String)
    /// An output has another number of values than its meaning asks for.
    case otherCount(model: String, tensor: String, expected: Int, found: Int)
}

extension OutputError: CustomStringConvertible, LocalizedError {
    /// One sentence: the problem, its place, and the next step.
    public var description: String {
        switch self {
        case .notFinite(let model, let tensor):
            "\(model) gave NaN or infinity in its output \(tensor); the model is damaged or its input is normalized wrongly."
        case .otherCount(let model, let tensor, let expected, let found):
            "\(model) gave \(found) values in its output \(tensor) instead of \(expected), so its anchors belong to another model; correct "
                + "its sidecar: `sightline inspect` shows its outputs."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}

import Foundation

/// A reason why a model was not rewritten.
public enum ModelOptimizerError: Error, Sendable, Hashable {
    /// No rewrite makes the model faster.
    case nothingToGain
    /// The file cannot be extended; `reason` is a clause about the model.
    case layout(reason: String)
    /// The rewritten file did not pass the checks, or the runtime did not accept it.
    case invalid(reason: String)
}

extension ModelOptimizerError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    public var description: String {
        switch self {
        case .nothingToGain:
            "The model cannot be made faster: it has neither uint8 weights nor slow operators that Sightline knows; use it "
                + "unchanged."
        case .layout(let reason):
            "The model cannot be rewritten because \(reason); use it unchanged, or convert it again."
        case .invalid(let reason):
            "The rewritten model would not run (\(reason)); use the original."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}

import Foundation

/// A reason why a model was not quantized.
public enum ModelQuantizerError: Error, Sendable, Hashable {
    /// The model has weights of 8 or fewer bits already.
    case alreadyQuantized
    /// The model has no layers with weights.
    case noLayers
    /// There is no picture to calibrate with.
    case noSamples
    /// No layer of the model can compute with int8; `reasons` are clauses about its operators.
    case nothingToGain(reasons: [String])
    /// The file has a layout that cannot be copied; `reason` is a clause about the model.
    case layout(reason: String)
    /// The quantized file did not pass the checks, or the runtime did not accept it.
    case invalid(reason: String)
}

extension ModelQuantizerError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    public var description: String {
        switch self {
        case .alreadyQuantized:
            "The model has 8-bit weights already, so there is nothing to calibrate; optimize it without --calibrate."
        case .noLayers: "The model has no layers with weights, so int8 would not make it faster; use it as it is."
        case .noSamples: "There is no picture to calibrate with; give some 100 pictures that the model will see in use."
        case .nothingToGain(let reasons):
            "No layer of the model before the last ones can compute with int8"
                + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))") + "; use it as it is."
        case .layout(let reason):
            "The model cannot be quantized because \(reason); use it as it is, or convert it again."
        case .invalid(let reason): "The quantized model would not run (\(reason)); use the original."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}

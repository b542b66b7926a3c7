import Foundation

/// Why what a model gave cannot be used.
public enum OutputError: Error, Sendable, Hashable {
    /// An output holds NaN or infinity where a confidence or coordinate should be.
    case notFinite(model: String, tensor: String)
}

extension OutputError: CustomStringConvertible, LocalizedError {
    /// One sentence: what, where, and what to do.
    public var description: String {
        switch self {
        case .notFinite(let model, let tensor):
            "\(model) gave NaN or infinity in its output \(tensor); the model is damaged or its input is normalised wrongly."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}

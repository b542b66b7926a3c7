import Foundation

/// A model on this machine.
///
/// Nothing is read before the first picture; a file that is not there, or no model, is the error of that picture.
public class LocalModel: NSObject, @unchecked Sendable {
    // Unchecked: the property never changes, and all subclasses are in this file, final and without state.

    /// Where it lies.
    public let path: String

    fileprivate init(path: String) { self.path = path }
}

/// A model that AutoML Vision Edge trained.
public final class AutoMLLocalModel: LocalModel, @unchecked Sendable {
    /// A model by its manifest, beside which the model and its labels lie.
    ///
    /// - Parameter manifestPath: a file such as `manifest.json` with `modelFile` and `labelsFile`; trailing commas, which real
    ///   exports have, do no harm.
    public init(manifestPath: String) { super.init(path: manifestPath) }
}

/// A model for an interpreter.
public final class CustomLocalModel: LocalModel, @unchecked Sendable {
    /// A model by its `.tflite` file.
    public init(modelPath: String) { super.init(path: modelPath) }
}

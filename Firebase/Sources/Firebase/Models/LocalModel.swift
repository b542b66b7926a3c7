import Foundation

/// A model on this machine.
///
/// The first picture loads the model. If the file is missing or not a model, that call returns an error.
#if canImport(ObjectiveC)
    @objc(FIRLocalModel) @objcMembers
#endif
public class LocalModel: NSObject, @unchecked Sendable {
    // Unchecked: the property never changes, and all subclasses are in this file, final and without state.

    /// The path of the file.
    public let path: String

    fileprivate init(path: String) { self.path = path }
}

/// A model that AutoML Vision Edge trained.
#if canImport(ObjectiveC)
    @objc(FIRAutoMLLocalModel) @objcMembers
#endif
public final class AutoMLLocalModel: LocalModel, @unchecked Sendable {
    /// Creates a model from its manifest. The model and its labels are beside the manifest.
    ///
    /// - Parameter manifestPath: A file such as `manifest.json` with `modelFile` and `labelsFile`. Trailing commas, as
    ///   in real exports, are accepted.
    public init(manifestPath: String) { super.init(path: manifestPath) }
}

/// A model for an interpreter.
#if canImport(ObjectiveC)
    @objc(FIRCustomLocalModel) @objcMembers
#endif
public final class CustomLocalModel: LocalModel, @unchecked Sendable {
    /// Creates a model from its `.tflite` file.
    public init(modelPath: String) { super.init(path: modelPath) }
}

import FacadeSupport
import Foundation
import Sightline

/// A model on this machine. (`MLKLocalModel`)
///
/// A detector or labeler reads the model when it processes its first picture. If the file is missing or cannot be used,
/// that call throws an error; ML Kit ends the program.
#if canImport(ObjectiveC)
    @objc(MLKLocalModel) @objcMembers
#endif
public final class LocalModel: NSObject, Sendable {
    /// The `.tflite` file.
    public let path: String
    /// The manifest that names the model file, if the model was created from a manifest.
    public let manifestPath: String?

    /// Creates a model from its file.
    ///
    /// Labels come from its metadata, or from a text file beside it. The path may also be the folder of an AutoML
    /// export.
    ///
    /// - Parameter path: The path of a `.tflite` file.
    public init(path: String) {
        self.path = path
        manifestPath = nil
    }

    /// Creates a model from the manifest of an AutoML export: `{"modelFile": "model.tflite", "labelsFile":
    /// "dict.txt"}`.
    ///
    /// A trailing comma, as in real exports, is accepted.
    ///
    /// - Parameter manifestPath: The path of `manifest.json`. The files in the manifest are beside it.
    /// - Returns: Nil if the manifest is missing or damaged, or if a file in it does not exist.
    public init?(manifestPath: String) {
        guard let export = try? AutoMLExport(manifest: URL(filePath: manifestPath)) else { return nil }
        path = export.model.path
        self.manifestPath = manifestPath
    }

    /// The source of the model for a detector or labeler.
    package var source: ModelSource { .local(path: manifestPath ?? path) }
}

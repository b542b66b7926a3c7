import FacadeSupport
import Foundation
import Sightline

/// A model on this machine. (`MLKLocalModel`)
///
/// Nothing of the model is read before a detector or labeler looks at its first picture. A file that is missing or cannot be
/// used is an error of that call; ML Kit ends the program.
public final class LocalModel: NSObject, Sendable {
    /// The `.tflite` file.
    public let path: String
    /// The manifest that names the model file, if the model was made of one.
    public let manifestPath: String?

    /// A model by its file.
    ///
    /// Labels are read from its metadata, or from a text file beside it. The folder of an AutoML export will do as well.
    ///
    /// - Parameter path: the path of a `.tflite` file.
    public init(path: String) {
        self.path = path
        manifestPath = nil
    }

    /// A model by the manifest of an AutoML export: `{"modelFile": "model.tflite", "labelsFile": "dict.txt"}`.
    ///
    /// A trailing comma, which real exports have, is tolerated.
    ///
    /// - Parameter manifestPath: the path of `manifest.json`; the files that it names lie beside it.
    /// - Returns: nil if there is no such file, if it is damaged, or if a file that it names is not there.
    public init?(manifestPath: String) {
        guard let export = try? AutoMLExport(manifest: URL(filePath: manifestPath)) else { return nil }
        path = export.model.path
        self.manifestPath = manifestPath
    }

    /// Where a detector or labeler finds the model.
    package var source: ModelSource { .local(path: manifestPath ?? path) }
}

import Foundation
import Sightline

/// The source of the model of a detector or labeler. The first picture loads the model from it; if that fails, every
/// later picture tries again.
public struct ModelSource: Sendable {
    /// Finds the model.
    public let model: @Sendable () throws -> LocalModel

    /// Creates a source from a closure.
    public init(_ model: @escaping @Sendable () throws -> LocalModel) {
        self.model = model
    }

    /// The built-in coarse classifier, which names objects.
    public static let builtInClassifier = ModelSource { .builtInClassifier }

    /// The built-in labeler, which labels whole pictures.
    public static let builtInLabeler = ModelSource { .builtInLabeler }

    /// A model on this machine: its file, the folder of an AutoML export, or its manifest.
    public static func local(path: String) -> ModelSource {
        ModelSource {
            // A URL of an empty path would lead to the current folder.
            guard !path.isEmpty else { throw LocalModelError.unreadable(path: "\"\"", reason: "the path is empty") }
            return LocalModel(url: URL(filePath: path))
        }
    }

    /// A model on a hub, which must be downloaded before the first picture.
    public static func remote(name: String, of service: ModelService) -> ModelSource {
        ModelSource { try service.downloadedModel(named: name).localModel }
    }
}

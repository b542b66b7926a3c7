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

    /// The built-in coarse classifier.
    public static let builtIn = ModelSource { .builtInClassifier }

    /// A model on this machine: its file, the folder of an AutoML export, or its manifest.
    public static func local(path: String) -> ModelSource {
        ModelSource { LocalModel(url: URL(filePath: path)) }
    }

    /// A model on a hub, which must be downloaded before the first picture.
    public static func remote(name: String, of service: ModelService) -> ModelSource {
        ModelSource { try service.downloadedModel(named: name).localModel }
    }
}

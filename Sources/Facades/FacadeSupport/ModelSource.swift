import Foundation
import Sightline

/// Where the model of a detector or labeler comes from. It is asked when the model is loaded, with the first picture, and again
/// with each further one until that has gone well.
public struct ModelSource: Sendable {
    /// Finds the model.
    public let model: @Sendable () throws -> LocalModel

    /// A model that has to be found first.
    public init(_ model: @escaping @Sendable () throws -> LocalModel) {
        self.model = model
    }

    /// The built-in coarse classifier.
    public static let builtIn = ModelSource { .builtInClassifier }

    /// A model on this machine: its file, the folder of an AutoML export, or its manifest.
    public static func local(path: String) -> ModelSource {
        ModelSource { LocalModel(url: URL(filePath: path)) }
    }

    /// A model of a hub, which must be downloaded by then.
    public static func remote(name: String, of service: ModelService) -> ModelSource {
        ModelSource { try service.downloadedModel(named: name).localModel }
    }
}

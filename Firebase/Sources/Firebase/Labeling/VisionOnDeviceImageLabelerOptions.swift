import FacadeSupport
import Foundation

/// What the labeler with the built-in model does.
public final class VisionOnDeviceImageLabelerOptions: NSObject {
    /// Labels below this confidence are dropped; a value outside 0…1 means 0.5.
    public var confidenceThreshold: Float = LabelerSettings.firebaseThreshold

    /// Labels of a confidence of 0.5 and more, unless told otherwise.
    public override init() {}

    var settings: LabelerSettings { LabelerSettings(firebase: .builtIn, threshold: confidenceThreshold) }
}

/// What a labeler with a model of the app's own does.
public final class VisionOnDeviceAutoMLImageLabelerOptions: NSObject {
    /// Labels below this confidence are dropped; a value outside 0…1 means 0.5.
    public var confidenceThreshold: Float = LabelerSettings.firebaseThreshold

    private enum Source {
        case local(AutoMLLocalModel)
        case remote(AutoMLRemoteModel)
    }

    private let source: Source

    /// A model on this machine.
    public init(localModel: AutoMLLocalModel) { source = .local(localModel) }

    /// A model that a hub hosts; it must be downloaded before the first picture.
    public init(remoteModel: AutoMLRemoteModel) { source = .remote(remoteModel) }

    func settings(_ models: ModelService) -> LabelerSettings {
        let source: ModelSource =
            switch source {
            case .local(let model): .local(path: model.path)
            case .remote(let model): .remote(name: model.name, of: models)
            }
        return LabelerSettings(firebase: source, threshold: confidenceThreshold)
    }
}

extension LabelerSettings {
    fileprivate static let firebaseThreshold: Float = 0.5

    /// Firebase's labelers give all labels above the threshold, however many.
    fileprivate init(firebase model: ModelSource, threshold: Float) {
        self.init(model: model)
        confidenceThreshold = threshold
        defaultThreshold = Self.firebaseThreshold
        maximumLabels = .max
    }
}

import FacadeSupport
import Foundation

/// Options of the labeler with the built-in model.
#if canImport(ObjectiveC)
    @objc(FIRVisionOnDeviceImageLabelerOptions) @objcMembers
#endif
public final class VisionOnDeviceImageLabelerOptions: NSObject {
    /// Labels below this confidence are dropped; a value outside 0…1 means 0.5.
    public var confidenceThreshold: Float = LabelerSettings.firebaseThreshold

    /// Creates options with a threshold of 0.5.
    public override init() {}

    var settings: LabelerSettings { LabelerSettings(firebase: .builtInLabeler, threshold: confidenceThreshold) }
}

/// Options of a labeler with the app's own model.
#if canImport(ObjectiveC)
    @objc(FIRVisionOnDeviceAutoMLImageLabelerOptions) @objcMembers
#endif
public final class VisionOnDeviceAutoMLImageLabelerOptions: NSObject {
    /// Labels below this confidence are dropped; a value outside 0…1 means 0.5.
    public var confidenceThreshold: Float = LabelerSettings.firebaseThreshold

    private enum Source {
        case local(AutoMLLocalModel)
        case remote(AutoMLRemoteModel)
    }

    private let source: Source

    /// Creates options with a model on this machine.
    public init(localModel: AutoMLLocalModel) { source = .local(localModel) }

    /// Creates options with a model on a hub. It must be downloaded before the first picture.
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

    /// Firebase's labelers return all labels above the threshold, without a maximum.
    fileprivate init(firebase model: ModelSource, threshold: Float) {
        self.init(model: model)
        confidenceThreshold = threshold
        defaultThreshold = Self.firebaseThreshold
        maximumLabels = .max
    }
}

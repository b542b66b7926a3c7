import FacadeSupport
public import Foundation
public import MLKitCommon
public import MLKitObjectDetectionCommon

/// Options of a detector with your own classifier. (`MLKCustomObjectDetectorOptions`)
///
/// The built-in localizer finds the objects. The classifier is read only if
/// ``MLKitObjectDetectionCommon/CommonObjectDetectorOptions/shouldEnableClassification`` is set.
#if canImport(ObjectiveC)
    @objc(MLKCustomObjectDetectorOptions) @objcMembers
#endif
public final class CustomObjectDetectorOptions: CommonObjectDetectorOptions {
    /// Labels below this confidence are dropped. Nil, or a number outside 0…1, means the hub's threshold for a remote
    /// model, otherwise the threshold in the model's metadata, otherwise 0.
    public var classificationConfidenceThreshold: NSNumber? {
        get { labelThreshold }
        set { labelThreshold = newValue }
    }

    /// The maximum number of labels per object; a value below 1 means 10.
    public var maxPerObjectLabelCount: Int {
        get { maximumLabelCount }
        set { maximumLabelCount = newValue }
    }

    /// Creates options with a classifier on this machine.
    public init(localModel: LocalModel) {
        super.init(classifier: localModel.source)
    }

    /// Creates options with a classifier on a hub. It must be downloaded before the first picture; otherwise the call
    /// returns an error with code 9.
    public init(remoteModel: CustomRemoteModel) {
        super.init(classifier: ModelManager.modelManager().source(of: remoteModel))
    }
}

import FacadeSupport
public import Foundation
public import MLKitCommon
public import MLKitObjectDetectionCommon

/// Options of a detector whose objects are named by a classifier of your own. (`MLKCustomObjectDetectorOptions`)
///
/// The built-in localizer finds the objects. The classifier is only needed, and only read, with
/// ``MLKitObjectDetectionCommon/CommonObjectDetectorOptions/shouldEnableClassification``.
public final class CustomObjectDetectorOptions: CommonObjectDetectorOptions {
    /// Labels below this confidence are dropped. Nil, or a number outside 0…1, means the threshold that the hub names for a remote
    /// model, otherwise the one in the model's metadata, or 0 if it has none.
    public var classificationConfidenceThreshold: NSNumber? {
        get { labelThreshold }
        set { labelThreshold = newValue }
    }

    /// At most this many labels an object; a value below 1 means 10.
    public var maxPerObjectLabelCount: Int {
        get { maximumLabelCount }
        set { maximumLabelCount = newValue }
    }

    /// Options with a classifier on this machine.
    public init(localModel: LocalModel) {
        super.init(classifier: localModel.source)
    }

    /// Options with a classifier of a hub. It must be downloaded when the first picture comes; otherwise that is an error of
    /// code 9.
    public init(remoteModel: CustomRemoteModel) {
        super.init(classifier: ModelManager.modelManager().source(of: remoteModel))
    }
}

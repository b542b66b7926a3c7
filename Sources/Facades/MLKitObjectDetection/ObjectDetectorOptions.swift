import FacadeSupport
import Foundation
public import MLKitObjectDetectionCommon

/// Options of a detector with the built-in models. (`MLKObjectDetectorOptions`)
///
/// With ``MLKitObjectDetectionCommon/CommonObjectDetectorOptions/shouldEnableClassification``, objects get a label of
/// ``DetectedObjectLabel`` if the built-in classifier is confident enough.
#if canImport(ObjectiveC)
    @objc(MLKObjectDetectorOptions) @objcMembers
#endif
public final class ObjectDetectorOptions: CommonObjectDetectorOptions {
    /// Creates options for a stream of pictures and the most prominent object, without labels.
    public init() {
        super.init(classifier: .builtInClassifier)
    }
}

import FacadeSupport
public import MLKitObjectDetectionCommon

/// Options of a detector with the built-in models. (`MLKObjectDetectorOptions`)
///
/// With ``MLKitObjectDetectionCommon/CommonObjectDetectorOptions/shouldEnableClassification`` objects are named by
/// ``DetectedObjectLabel``, where the built-in classifier is sure enough.
public final class ObjectDetectorOptions: CommonObjectDetectorOptions {
    /// A stream of pictures, the most prominent object, without labels.
    public init() {
        super.init(classifier: .builtIn)
    }
}

import FacadeSupport
import Foundation

/// Whether pictures are independent or form a stream.
#if canImport(ObjectiveC)
    @objc(FIRVisionObjectDetectorMode)
#endif
public enum VisionObjectDetectorMode: Int, Sendable {
    /// Pictures are independent; objects have no identity.
    case singleImage = 0
    /// Pictures are the frames of a stream; objects keep their identity. The first results may lack labels.
    case stream = 1
}

/// Options of an object detector.
#if canImport(ObjectiveC)
    @objc(FIRVisionObjectDetectorOptions) @objcMembers
#endif
public final class VisionObjectDetectorOptions: NSObject {
    /// Whether pictures are independent or form a stream.
    public var detectorMode = VisionObjectDetectorMode.stream
    /// Whether objects get a category.
    public var shouldEnableClassification = false
    /// Whether the detector reports all objects or only the most prominent object.
    public var shouldEnableMultipleObjects = false
    /// The maximum number of objects; a value below 1 means 5. Firebase has no such property and never reports more
    /// than 5.
    public var maximumObjectCount = 5

    /// Creates options for the most prominent object of a stream, without a category.
    public override init() {}

    var settings: DetectorSettings {
        var settings = DetectorSettings()
        settings.mode =
            switch detectorMode {
            case .singleImage: .singleImage
            case .stream: .stream
            }
        settings.classifiesObjects = shouldEnableClassification
        settings.detectsMultipleObjects = shouldEnableMultipleObjects
        settings.maximumObjects = maximumObjectCount
        return settings
    }
}

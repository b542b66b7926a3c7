import FacadeSupport
import Foundation

/// Whether pictures stand alone or follow one another.
public enum VisionObjectDetectorMode: Int, Sendable {
    /// Each picture stands alone; objects have no identity.
    case singleImage = 0
    /// Pictures are the frames of one stream; objects keep their identity. First results may lack labels.
    case stream = 1
}

/// What an object detector does.
public final class VisionObjectDetectorOptions: NSObject {
    /// Whether pictures stand alone or follow one another.
    public var detectorMode = VisionObjectDetectorMode.stream
    /// Whether objects get a category.
    public var shouldEnableClassification = false
    /// Whether all objects are reported, or only the most prominent one.
    public var shouldEnableMultipleObjects = false
    /// At most this many objects; a value below 1 means 5. Firebase has no such property and never more than 5.
    public var maximumObjectCount = 5

    /// The most prominent object of a stream, without a category, unless told otherwise.
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

import FacadeSupport
public import Foundation

/// What all options of object detectors have. (`MLKCommonObjectDetectorOptions`)
///
/// Make an `ObjectDetectorOptions` or a `CustomObjectDetectorOptions`. A detector copies its options when it is made.
open class CommonObjectDetectorOptions: NSObject {
    /// Whether objects get labels.
    public final var shouldEnableClassification = false
    /// Whether all objects are reported or only the most prominent one.
    public final var shouldEnableMultipleObjects = false
    /// Whether pictures stand alone or follow one another.
    public final var detectorMode = ObjectDetectorMode.stream
    /// At most this many objects, if ``shouldEnableMultipleObjects`` is set; a value below 1 means five.
    ///
    /// ML Kit has no such property and never reports more than five.
    public final var maximumObjectCount = DetectorSettings().maximumObjects

    // What the options of custom models set.
    package final var labelThreshold: NSNumber?
    package final var maximumLabelCount = DetectorSettings().maximumLabelsPerObject
    private let classifier: ModelSource

    /// For the classes of the package alone.
    package init(classifier: ModelSource) {
        self.classifier = classifier
    }

    final var settings: DetectorSettings {
        var settings = DetectorSettings()
        settings.mode = detectorMode == .singleImage ? .singleImage : .stream
        settings.detectsMultipleObjects = shouldEnableMultipleObjects
        settings.classifiesObjects = shouldEnableClassification
        settings.classifier = classifier
        settings.classificationThreshold = labelThreshold?.floatValue
        settings.maximumLabelsPerObject = maximumLabelCount
        settings.maximumObjects = maximumObjectCount
        return settings
    }
}

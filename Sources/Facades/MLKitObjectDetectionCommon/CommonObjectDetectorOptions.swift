import FacadeSupport
public import Foundation

/// The common options of object detectors. (`MLKCommonObjectDetectorOptions`)
///
/// Create an `ObjectDetectorOptions` or a `CustomObjectDetectorOptions`. A detector copies its options when it is
/// created.
#if canImport(ObjectiveC)
    @objc(MLKCommonObjectDetectorOptions) @objcMembers
#endif
open class CommonObjectDetectorOptions: NSObject {
    /// Whether objects get labels.
    public final var shouldEnableClassification = false
    /// Whether the detector reports all objects or only the most prominent object.
    public final var shouldEnableMultipleObjects = false
    /// Whether pictures are independent or form a stream.
    public final var detectorMode = ObjectDetectorMode.stream
    /// The maximum number of objects if ``shouldEnableMultipleObjects`` is set; a value below 1 means five.
    ///
    /// ML Kit has no such property and never reports more than five objects.
    public final var maximumObjectCount = DetectorSettings().maximumObjects

    // Set by the options of custom models.
    package final var labelThreshold: NSNumber?
    package final var maximumLabelCount = DetectorSettings().maximumLabelsPerObject
    private let classifier: ModelSource

    /// For classes of this package only.
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

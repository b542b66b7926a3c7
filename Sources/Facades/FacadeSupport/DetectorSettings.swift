import Sightline

/// The settings of an object detector, shared by ML Kit's and Firebase's options.
public struct DetectorSettings: Sendable {
    /// Whether pictures are independent or form a stream.
    public enum Mode: Sendable { case singleImage, stream }

    /// Whether pictures are independent or form a stream.
    public var mode = Mode.stream
    /// Whether the detector reports all objects or only the most prominent object.
    public var detectsMultipleObjects = false
    /// Whether objects get labels.
    public var classifiesObjects = false
    /// The classifier that labels objects; ignored if objects get no labels.
    public var classifier = ModelSource.builtInClassifier
    /// Labels below this confidence are dropped. Nil, or a value outside 0…1, means the classifier's own threshold.
    public var classificationThreshold: Float?
    /// The maximum number of labels per object; a value below 1 means 10.
    public var maximumLabelsPerObject = ObjectDetectorOptions.defaultMaximumLabelsPerObject
    /// The maximum number of objects; a value below 1 means 5.
    public var maximumObjects = Self.usualMaximumObjects

    /// The number of objects that ML Kit finds.
    private static let usualMaximumObjects = 5
    /// The confidence from which one of several objects in a single picture counts.
    ///
    /// ML Kit fills its few places rather than leaving them empty, and has no threshold for objects. The model's own threshold, 0.25, leaves
    /// out many objects next to larger ones: of two dogs between two cats, the cats have 0.20 and 0.17, because a wide
    /// picture is squeezed into the model's square. On 167 photos of COCO, five boxes from 0.15 on find 58 % of the objects over 5 %
    /// of the picture, from 0.25 on 51 %; of the boxes 47 and 57 % are on an object that people annotated. A stream and the single
    /// most prominent object keep the model's threshold: there a weak box would stay, or would take the place of a sure box.
    private static let thresholdAmongSeveral: Float = 0.15

    /// Creates the default settings of both generations.
    public init() {}

    /// The limit on the objects of a picture, or of a frame of a stream.
    var limit: Int { maximumObjects > 0 ? maximumObjects : Self.usualMaximumObjects }

    func options() throws -> ObjectDetectorOptions {
        var options = ObjectDetectorOptions(
            model: .builtInLocalizer,
            classifier: classifiesObjects ? try classifier.model() : nil
        )
        options.detectsMultipleObjects = detectsMultipleObjects
        options.classifiesObjects = classifiesObjects
        options.classificationThreshold = classificationThreshold
        options.maximumLabelsPerObject = maximumLabelsPerObject
        if mode == .singleImage { options.maximumObjects = limit }
        if mode == .singleImage, detectsMultipleObjects { options.scoreThreshold = Self.thresholdAmongSeveral }
        return options
    }
}

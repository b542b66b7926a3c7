/// What an object detector does.
///
/// ```swift
/// ObjectDetectorOptions()                          // the built-in localizer and coarse classifier
/// ObjectDetectorOptions(classifier: birds)         // the built-in localizer, objects named by another model
/// ObjectDetectorOptions(model: coco)               // a detector that names objects itself
/// ```
///
/// The names in parentheses are those of ML Kit's options.
public struct ObjectDetectorOptions: Sendable, Hashable {
    /// The model that finds objects: a detection model, or a localizer that knows no classes.
    public var model: LocalModel
    /// The model that names them, run on each object's part of the full-size picture; nil if the detection model's own
    /// classes are the labels.
    public var classifier: LocalModel?
    /// Whether all objects are reported or only the most prominent one. (`shouldEnableMultipleObjects`)
    public var detectsMultipleObjects = true
    /// Whether objects get labels. (`shouldEnableClassification`)
    public var classifiesObjects = true
    /// Labels below this confidence are dropped. Nil, or a value outside 0…1, means the classifier's own: its
    /// ``LocalModel/confidenceThreshold``, otherwise the one in its sidecar or metadata, or 0 if it has none.
    /// (`classificationConfidenceThreshold`)
    public var classificationThreshold: Float?
    /// At most this many labels an object; a value below 1 means the default. (`maxPerObjectLabelCount`)
    public var maximumLabelsPerObject = Self.defaultMaximumLabelsPerObject
    /// At most this many objects, the most confident ones; a value below 1 means the default.
    public var maximumObjects = Self.defaultMaximumObjects
    /// Objects below this confidence are dropped. Nil, or a value outside 0…1, means the model's own: its
    /// ``LocalModel/confidenceThreshold``, the one in its sidecar or metadata, otherwise the usual one for its kind: 0.5 for SSD, 0.3 for YOLO and for localizers.
    public var scoreThreshold: Float?
    /// Of boxes of one class that overlap by more than this IoU only the most confident is kept. Nil, or a value outside
    /// 0…1, means the usual value for the kind of model; a model that suppresses overlaps itself is left to it.
    public var iouThreshold: Float?
    /// Only objects of these detector classes; nil for all. Where the detector knows no classes the classifier's labels
    /// decide, among the objects that are left after ``maximumObjects`` or ``detectsMultipleObjects``.
    public var allowedLabels: Set<String>?
    /// Never objects of these detector classes; where the detector knows none, no objects whose best label is one of these.
    public var deniedLabels: Set<String> = []
    /// The part of the picture to search, in pixels of the upright picture; nil for all of it. Frames are still in pixels
    /// of the whole picture.
    public var regionOfInterest: PixelRect?
    /// How a picture is fitted into the detection model's input; nil for the way that the model's sidecar asks for or its
    /// kind is trained with: squeezed for SSD, letterboxed for YOLO. ``ImageFit/crop`` looks at the centred part only.
    public var fit: ImageFit?
    /// Threads of one run of a model.
    public var threads = 1
    /// How many pictures can be searched at the same time; each worker compiles the models for itself.
    public var workers = 1

    /// What `maximumObjects` is unless it is set: as many as COCO's evaluation counts.
    public static let defaultMaximumObjects = 100
    /// What `maximumLabelsPerObject` is unless it is set.
    public static let defaultMaximumLabelsPerObject = 10

    /// Options with models and defaults for all else.
    ///
    /// - Parameters:
    ///   - model: a detection model or a localizer.
    ///   - classifier: names the objects; nil to use the detection model's classes.
    public init(model: LocalModel, classifier: LocalModel? = nil) {
        self.model = model
        self.classifier = classifier
    }

    /// Options with the built-in localizer, and defaults for all else.
    ///
    /// - Parameter classifier: names the objects; nil for objects without labels.
    public init(classifier: LocalModel? = .builtInClassifier) {
        self.init(model: .builtInLocalizer, classifier: classifier)
    }

    /// `maximumObjects`, or the default if that is not valid.
    var effectiveMaximumObjects: Int { maximumObjects > 0 ? maximumObjects : Self.defaultMaximumObjects }
}

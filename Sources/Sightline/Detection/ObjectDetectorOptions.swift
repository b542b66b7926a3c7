/// The models of an object detector, and the objects that it reports.
///
/// ```swift
/// ObjectDetectorOptions()                          // the built-in detector
/// ObjectDetectorOptions(classifier: birds)         // the built-in detector, and another model that names the objects
/// ObjectDetectorOptions(model: coco)               // a detector that names objects itself
/// ```
///
/// The names in parentheses are those of ML Kit's options.
public struct ObjectDetectorOptions: Sendable, Hashable {
    /// The model that finds objects: a detection model, or a localizer that knows no classes.
    public var model: LocalModel
    /// The classifier that names the objects, run on each object's part of the full-size picture; nil if the detection
    /// model's own classes are the labels.
    public var classifier: LocalModel?
    /// Whether all objects are reported or only the most prominent object. In a stream the choice stays with an object until
    /// it is gone or another is clearly more prominent. (`shouldEnableMultipleObjects`)
    public var detectsMultipleObjects = true
    /// Whether objects get labels. (`shouldEnableClassification`)
    public var classifiesObjects = true
    /// Labels below this confidence are dropped. Nil, or a value outside 0…1, means the thresholds of the model that names the
    /// objects: of a classifier its ``LocalModel/confidenceThreshold``, otherwise the threshold in its sidecar or metadata,
    /// otherwise 0; of a detector the ``ModelSidecar/labelThresholds`` and ``ModelSidecar/groups`` in its sidecar, otherwise 0.
    /// (`classificationConfidenceThreshold`)
    public var classificationThreshold: Float?
    /// Other thresholds than ``classificationThreshold`` for some labels. Values outside 0…1 are ignored.
    public var classificationThresholds: [String: Float] = [:]
    /// At most this many labels an object; a value below 1 means the default. (`maxPerObjectLabelCount`)
    public var maximumLabelsPerObject = Self.defaultMaximumLabelsPerObject
    /// At most this many objects of a picture, the most confident of them. Nil, or a value below 1, means
    /// ``defaultMaximumObjects`` in a single picture, and no limit for the frame of a stream, whose objects
    /// ``StreamDetectorOptions/maximumObjects`` limits.
    public var maximumObjects: Int?
    /// Objects below this confidence are dropped. Nil, or a value outside 0…1, means the model's own threshold: its
    /// ``LocalModel/confidenceThreshold``, otherwise the threshold in its sidecar or metadata, otherwise the usual value for
    /// its kind: 0.5 for SSD, 0.3 for YOLO and for localizers. The built-in detector's is 0.45.
    public var scoreThreshold: Float?
    /// Other thresholds than ``scoreThreshold`` for objects of some detector classes, by the names of the classes. Values outside
    /// 0…1 are ignored. A detector that knows no classes has none to name; then ``classificationThresholds`` limit the labels.
    public var scoreThresholds: [String: Float] = [:]
    /// Of the boxes of one class that overlap by more than this IoU, only the most confident is kept. Nil, or a value outside
    /// 0…1, means the usual value for the kind of model, and no suppression for a model that suppresses overlaps itself.
    ///
    /// Boxes inside others overlap by less. A box inside a more confident box, or around several, therefore keeps 65 % of its
    /// confidence from the built-in models, unless both have different names. Other models keep their confidences. With 1, every box has the
    /// confidence that the model gives it.
    public var iouThreshold: Float?
    /// Whether boxes of different classes also suppress each other, so that no object is reported as both a cat and a dog
    /// (class-agnostic suppression). For a model that suppresses overlaps itself, the IoU is 0.5 unless ``iouThreshold`` says
    /// otherwise.
    public var suppressesAcrossClasses = false
    /// Only objects of these detector classes; nil for all. With the built-in detector, and where a detector knows no classes, the
    /// objects' labels decide. ``maximumObjects`` and ``detectsMultipleObjects`` apply to the objects that are allowed; a classifier that
    /// decides looks at ``defaultMaximumObjects`` boxes, or more if `maximumObjects` is more. A group of the model's sidecar, such as
    /// `animal` of the built-in detector, also stands for its kinds.
    public var allowedLabels: Set<String>?
    /// Never objects of these detector classes. With the built-in detector, and where a detector knows no classes: never objects whose
    /// best label is among these. A group also stands for its kinds, except for those in ``allowedLabels``.
    public var deniedLabels: Set<String> = []
    /// The part of the picture to search, in pixels of the upright picture; nil for all of it. Frames of objects remain in
    /// pixels of the whole picture.
    public var regionOfInterest: PixelRect?
    /// The slices in which small objects are searched, in addition to the whole picture or ``regionOfInterest``; nil for none. The
    /// model runs once more for each slice.
    public var slices: PictureSlices?
    /// Whether the mirror images of the picture and of its slices are searched as well, which finds some objects that are missed in the
    /// pictures themselves, in twice the time.
    public var searchesMirrorImage = false
    /// The fit of a picture into the detection model's input; nil for the fit that the model's sidecar asks for, otherwise
    /// the fit with which its kind is trained: stretched for SSD, letterboxed for YOLO. With ``ImageFit/crop`` the model sees
    /// the centered part only.
    public var fit: ImageFit?
    /// Whether the models are rewritten so that they run faster, if possible (`ModelOptimizer`). Off by default, because answers
    /// may differ a little. Rewritten models are kept in the folder `sightline/optimized` of the user's cache folder, so only
    /// the first use takes tens of milliseconds longer.
    public var optimizesModel = false
    /// Threads of one run of a model.
    public var threads = 1
    /// The number of pictures that are searched at the same time; each worker compiles the models for itself. Frames of a
    /// stream are searched at the same time where none may be dropped, that is with ``FramePolicy/all``; where frames may be
    /// dropped, ``threads`` make a frame faster.
    public var workers = 1

    /// The default of `maximumObjects`: as many objects as COCO's evaluation counts.
    public static let defaultMaximumObjects = 100
    /// The default of `maximumLabelsPerObject`.
    public static let defaultMaximumLabelsPerObject = 10

    /// Creates options with these models, and defaults for the rest.
    ///
    /// - Parameters:
    ///   - model: a detection model or a localizer.
    ///   - classifier: a model that names the objects; nil to use the detection model's classes.
    public init(model: LocalModel, classifier: LocalModel? = nil) {
        self.model = model
        self.classifier = classifier
    }

    /// Creates options with the built-in detector, and defaults for the rest.
    ///
    /// - Parameter classifier: a model that names the objects; nil for the detector's own names.
    public init(classifier: LocalModel? = nil) {
        self.init(model: .builtInDetector, classifier: classifier)
    }

    /// `maximumObjects` if it is set to a valid number.
    var validMaximumObjects: Int? { maximumObjects.flatMap { $0 > 0 ? $0 : nil } }

    /// The limit on the objects of a single picture.
    var effectiveMaximumObjects: Int { validMaximumObjects ?? Self.defaultMaximumObjects }
}

import Sightline
import SightlineLocks

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
    fileprivate var limit: Int { maximumObjects > 0 ? maximumObjects : Self.usualMaximumObjects }

    fileprivate func options() throws -> ObjectDetectorOptions {
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

/// The Sightline detector behind the detectors of the facades: the built-in localizer, and optionally a classifier.
///
/// The first picture loads the models, because the facades' factories must not fail or wait.
public final class DetectorEngine: Sendable {
    private enum Detector {
        case pictures(ObjectDetector)
        case stream(StreamDetector)
    }

    private let settings: DetectorSettings
    private let detector = Mutex<Detector?>(nil)

    /// Creates a detector.
    public init(_ settings: DetectorSettings) {
        self.settings = settings
    }

    /// The objects in a picture. Their `id` is nil unless the pictures form a stream.
    ///
    /// - Parameter time: The arrival time of the picture, which a stream uses to compute motion.
    public func objects(in image: VisionImage, at time: Duration) throws -> [DetectedObject] {
        try detector.withLock { detector in
            let loaded = try detector ?? load()
            detector = loaded
            switch loaded {
            case .pictures(let detector):
                return try detector.objects(in: image)
            case .stream(let detector):
                return try detector.result(in: image, at: time).objects
            }
        }
    }

    private func load() throws -> Detector {
        let options = try settings.options()
        switch settings.mode {
        case .singleImage:
            return .pictures(try ObjectDetector(options: options))
        case .stream:
            // As in the originals, an object is reported as soon as it is detected, even if no second picture follows.
            let tracking = ObjectTrackerOptions(confirmationHits: 1)
            let stream = StreamDetectorOptions(tracking: tracking, maximumObjects: settings.limit)
            return .stream(try StreamDetector(detection: options, options: stream))
        }
    }
}

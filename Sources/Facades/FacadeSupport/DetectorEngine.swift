import Sightline
import Synchronization

/// What the options of both generations of object detectors say.
public struct DetectorSettings: Sendable {
    /// Whether pictures stand alone or follow one another.
    public enum Mode: Sendable { case singleImage, stream }

    /// Whether pictures stand alone or follow one another.
    public var mode = Mode.stream
    /// Whether all objects are reported or only the most prominent one.
    public var detectsMultipleObjects = false
    /// Whether objects get labels.
    public var classifiesObjects = false
    /// What names objects; not asked for if they get no labels.
    public var classifier = ModelSource.builtIn
    /// Labels below this confidence are dropped; nil or a value outside 0…1 for the classifier's own threshold.
    public var classificationThreshold: Float?
    /// At most this many labels an object; a value below 1 means 10.
    public var maximumLabelsPerObject = ObjectDetectorOptions.defaultMaximumLabelsPerObject
    /// At most this many objects; a value below 1 means 5.
    public var maximumObjects = Self.usualMaximumObjects

    /// As many objects as ML Kit finds.
    private static let usualMaximumObjects = 5

    /// The defaults of both generations.
    public init() {}

    /// The limit on the objects of a picture, or of a frame of a stream.
    fileprivate var limit: Int { maximumObjects > 0 ? maximumObjects : Self.usualMaximumObjects }

    fileprivate func options() throws -> ObjectDetectorOptions {
        var options = ObjectDetectorOptions(classifier: classifiesObjects ? try classifier.model() : nil)
        options.detectsMultipleObjects = detectsMultipleObjects
        options.classifiesObjects = classifiesObjects
        options.classificationThreshold = classificationThreshold
        options.maximumLabelsPerObject = maximumLabelsPerObject
        if mode == .singleImage { options.maximumObjects = limit }
        return options
    }
}

/// One detector of Sightline behind the facades' detectors: the built-in localizer, and perhaps a classifier.
///
/// Models are loaded with the first picture, since the facades' factories neither fail nor may wait.
public final class DetectorEngine: Sendable {
    private enum Detector {
        case pictures(ObjectDetector)
        case stream(StreamDetector)
    }

    private let settings: DetectorSettings
    private let detector = Mutex<Detector?>(nil)

    /// A detector with these settings.
    public init(_ settings: DetectorSettings) {
        self.settings = settings
    }

    /// The objects in a picture; their `id` is nil unless pictures follow one another.
    ///
    /// - Parameter time: when the picture arrived; streams reckon motion with it.
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
            // As in the originals, an object is reported as soon as it is seen, also if no second picture ever comes.
            let tracking = ObjectTrackerOptions(confirmationHits: 1)
            let stream = StreamDetectorOptions(tracking: tracking, maximumObjects: settings.limit)
            return .stream(try StreamDetector(detection: options, options: stream))
        }
    }
}

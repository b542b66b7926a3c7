import Sightline
import SightlineLocks

/// The settings of a detector of things with named points, such as faces and bodies.
public struct PointSettings: Sendable {
    /// The model that finds the objects.
    public var model: ModelSource
    /// A point that the model must give.
    public var neededPoint: ObjectPoint.Name
    /// Whether pictures form a stream in which objects have identities.
    public var tracksObjects = false
    /// Whether small objects are also searched in slices of single pictures.
    public var searchesSlices = false

    /// Creates settings for single pictures.
    public init(model: ModelSource, neededPoint: ObjectPoint.Name) {
        (self.model, self.neededPoint) = (model, neededPoint)
    }
}

/// The Sightline detector behind the facades' detectors of faces and poses. The first picture loads the model.
public final class PointEngine: Sendable {
    private enum Detector {
        case pictures(ObjectDetector)
        case stream(StreamDetector)

        var pointNames: [ObjectPoint.Name]? {
            switch self {
            case .pictures(let detector): detector.pointNames
            case .stream(let detector): detector.pointNames
            }
        }
    }

    private let settings: PointSettings
    private let detector = Mutex<Detector?>(nil)

    /// Creates a detector.
    public init(_ settings: PointSettings) {
        self.settings = settings
    }

    /// The objects in a picture, with their points. Their `id` is nil unless the pictures form a stream.
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
                // Boxes that the tracker carries on have no points.
                return try detector.result(in: image, at: time).objects.filter { $0.points != nil }
            }
        }
    }

    private func load() throws -> Detector {
        let model = try settings.model.model()
        var options = ObjectDetectorOptions(model: model)
        options.maximumObjects = .max
        let detector: Detector
        if settings.tracksObjects {
            // As in the originals, an object is reported as soon as it is detected.
            let stream = StreamDetectorOptions(
                tracking: ObjectTrackerOptions(confirmationHits: 1),
                maximumObjects: .max
            )
            detector = .stream(try StreamDetector(detection: options, options: stream))
        } else {
            if settings.searchesSlices { options.slices = PictureSlices(pixels: Self.slicePixels, isPyramid: true) }
            detector = .pictures(try ObjectDetector(options: options))
        }
        guard detector.pointNames?.contains(settings.neededPoint) == true else {
            throw FacadeError.noPoints(model: model.url.lastPathComponent, point: settings.neededPoint.rawValue)
        }
        return detector
    }

    /// Width and height of a slice, as for hiding faces.
    private static let slicePixels = 240
}

import Sightline

/// The Sightline detector behind the facades' detectors of objects, faces and poses. The first picture loads its models.
public final class DetectorEngine: Sendable {
    private enum Detector: Sendable {
        case pictures(ObjectDetector)
        case stream(StreamDetector)

        /// - Parameter followed: the limit on the objects of a stream; nil for single pictures.
        init(_ options: ObjectDetectorOptions, followed: Int?) throws {
            guard let followed else {
                self = .pictures(try ObjectDetector(options: options))
                return
            }
            // As in the originals, an object is reported as soon as it is detected, even if no second picture follows.
            let tracking = ObjectTrackerOptions(confirmationHits: 1)
            let stream = StreamDetectorOptions(tracking: tracking, maximumObjects: followed)
            self = .stream(try StreamDetector(detection: options, options: stream))
        }

        var pointNames: [ObjectPoint.Name]? {
            switch self {
            case .pictures(let detector): detector.pointNames
            case .stream(let detector): detector.pointNames
            }
        }
    }

    private let detector: OnFirstUse<Detector>
    private let needsPoints: Bool

    /// Creates a detector of objects.
    public init(_ settings: DetectorSettings) {
        needsPoints = false
        detector = OnFirstUse {
            try Detector(settings.options(), followed: settings.mode == .stream ? settings.limit : nil)
        }
    }

    /// Creates a detector of things with named points.
    public init(_ settings: PointSettings) {
        needsPoints = true
        detector = OnFirstUse {
            let options = try settings.options()
            let detector = try Detector(options, followed: settings.tracksObjects ? .max : nil)
            guard detector.pointNames?.contains(settings.neededPoint) == true else {
                throw FacadeError.noPoints(
                    model: options.model.url.lastPathComponent,
                    point: settings.neededPoint.rawValue
                )
            }
            return detector
        }
    }

    /// The objects in a picture. Their `id` is nil unless the pictures form a stream.
    ///
    /// - Parameter time: The arrival time of the picture, which a stream uses to compute motion.
    public func objects(in image: VisionImage, at time: Duration) throws -> [DetectedObject] {
        try detector.use { detector in
            switch detector {
            case .pictures(let detector):
                return try detector.objects(in: image)
            case .stream(let detector):
                // Boxes that the tracker carries on have no points.
                return try detector.result(in: image, at: time).objects.filter { !needsPoints || $0.points != nil }
            }
        }
    }
}

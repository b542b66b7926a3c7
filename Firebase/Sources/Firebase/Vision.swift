import FacadeSupport
import FirebaseCore
import Foundation
import Sightline
import Synchronization

/// Makes detectors and labelers: Firebase ML Vision, on Sightline.
///
/// ```swift
/// let objectDetector = Vision.vision().objectDetector()
/// ```
///
/// Models that are built in or on this machine need no app.
public final class Vision: NSObject, Sendable {
    private let models: ModelService
    private let statsCollection = Atomic(false)

    private init(_ app: FirebaseApp?) { models = FirebaseErrors.models(of: app) }

    /// Detectors and labelers whose remote models are those of the default app.
    public static func vision() -> Vision { Vision(nil) }

    /// Detectors and labelers whose remote models are those of an app.
    public static func vision(app: FirebaseApp) -> Vision { Vision(app) }

    /// False until the app sets it. Sightline collects nothing, whether it is true or false.
    public var isStatsCollectionEnabled: Bool {
        get { statsCollection.load(ordering: .relaxed) }
        set { statsCollection.store(newValue, ordering: .relaxed) }
    }

    /// A detector that follows the most prominent object from picture to picture, and names nothing.
    public func objectDetector() -> VisionObjectDetector { objectDetector(options: VisionObjectDetectorOptions()) }

    /// A detector of objects, with the built-in models.
    ///
    /// - Parameter options: read now; what changes later has no effect.
    public func objectDetector(options: VisionObjectDetectorOptions) -> VisionObjectDetector {
        VisionObjectDetector(options.settings)
    }

    /// A labeler with the built-in model, for labels of a confidence of 0.5 and more.
    public func onDeviceImageLabeler() -> VisionImageLabeler {
        onDeviceImageLabeler(options: VisionOnDeviceImageLabelerOptions())
    }

    /// A labeler with the built-in model, which knows fashion goods, home goods, food, places and plants.
    ///
    /// - Parameter options: read now; what changes later has no effect.
    public func onDeviceImageLabeler(options: VisionOnDeviceImageLabelerOptions) -> VisionImageLabeler {
        VisionImageLabeler(options.settings, type: .onDevice)
    }

    /// A labeler with a model that AutoML trained, or any other classifier.
    ///
    /// - Parameter options: read now; what changes later has no effect.
    public func onDeviceAutoMLImageLabeler(options: VisionOnDeviceAutoMLImageLabelerOptions) -> VisionImageLabeler {
        VisionImageLabeler(options.settings(models), type: .onDeviceAutoML)
    }
}

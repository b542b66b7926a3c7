import FacadeSupport
import FirebaseCore
import Foundation
import Sightline
import SightlineLocks

/// Creates detectors and labelers: Firebase ML Vision, implemented with Sightline.
///
/// ```swift
/// let objectDetector = Vision.vision().objectDetector()
/// ```
///
/// Built-in models and models on this machine need no app.
#if canImport(ObjectiveC)
    @objc(FIRVision) @objcMembers
#endif
public final class Vision: NSObject, Sendable {
    private let models: ModelService
    private let statsCollection = Mutex(false)

    private init(_ app: FirebaseApp?) { models = FirebaseErrors.models(of: app) }

    /// Creates detectors and labelers with the remote models of the default app.
    public static func vision() -> Vision { Vision(nil) }

    /// Creates detectors and labelers with the remote models of an app.
    #if canImport(ObjectiveC)
        @objc(visionForApp:)
    #endif
    public static func vision(app: FirebaseApp) -> Vision { Vision(app) }

    /// False by default. Sightline collects no data in either case.
    @nonobjc
    public var isStatsCollectionEnabled: Bool {
        get { statsCollection.withLock { $0 } }
        set { statsCollection.withLock { $0 = newValue } }
    }

    /// Creates a detector that tracks the most prominent object from picture to picture, without categories.
    public func objectDetector() -> VisionObjectDetector { objectDetector(options: VisionObjectDetectorOptions()) }

    /// Creates a detector with the built-in models.
    ///
    /// - Parameter options: Read during the call; later changes have no effect.
    public func objectDetector(options: VisionObjectDetectorOptions) -> VisionObjectDetector {
        VisionObjectDetector(options.settings)
    }

    /// Creates a labeler with the built-in model and a threshold of 0.5.
    public func onDeviceImageLabeler() -> VisionImageLabeler {
        onDeviceImageLabeler(options: VisionOnDeviceImageLabelerOptions())
    }

    /// Creates a labeler with the built-in model, which knows everyday things, places and activities.
    ///
    /// - Parameter options: Read during the call; later changes have no effect.
    public func onDeviceImageLabeler(options: VisionOnDeviceImageLabelerOptions) -> VisionImageLabeler {
        VisionImageLabeler(options.settings, type: .onDevice)
    }

    /// Creates a labeler with a model that AutoML trained, or with any other classifier.
    ///
    /// - Parameter options: Read during the call; later changes have no effect.
    public func onDeviceAutoMLImageLabeler(options: VisionOnDeviceAutoMLImageLabelerOptions) -> VisionImageLabeler {
        VisionImageLabeler(options.settings(models), type: .onDeviceAutoML)
    }
}

import FacadeSupport
public import Foundation
import MLKitCommon
public import MLKitVision
import Sightline

/// Receives the poses in a picture or an error.
public typealias PoseDetectionCallback = @MainActor @Sendable (_ poses: [Pose]?, _ error: (any Error)?) -> Void

/// Detects the poses of bodies in pictures. (`MLKPoseDetector`)
///
/// ```swift
/// let poseDetector = PoseDetector.poseDetector(options: options)
/// poseDetector.process(image) { poses, error in
///     guard error == nil, let poses = poses, !poses.isEmpty else { return }
///     // Show results.
/// }
/// ```
///
/// You can use a detector from any thread. It processes one picture at a time, in the order of the calls, on its own
/// queue. The first picture loads the model. If the model cannot be used, that call and every later call returns an
/// error until it can be loaded.
#if canImport(ObjectiveC)
    @objc(MLKPoseDetector) @objcMembers
#endif
public final class PoseDetector: NSObject, Sendable {
    private let pictures: PictureQueue<[Pose]>

    private init(options: CommonPoseDetectorOptions) {
        let engine = DetectorEngine(options.settings)
        pictures = PictureQueue(domain: mlKitErrorDomain) { try engine.objects(in: $0, at: $1).map(Pose.init) }
    }

    /// Creates a detector.
    ///
    /// - Parameter options: A `PoseDetectorOptions` or an `AccuratePoseDetectorOptions`.
    public class func poseDetector(options: CommonPoseDetectorOptions) -> PoseDetector {
        PoseDetector(options: options)
    }

    /// Detects the poses in a picture.
    ///
    /// - Parameters:
    ///   - image: A `VisionImage` or an `MLImage`.
    ///   - completion: Called once, on the main queue, with the poses, most confident first, or an `NSError`. For a picture without
    ///     bodies the array is empty.
    #if canImport(ObjectiveC)
        @objc(processImage:completion:)
    #endif
    @preconcurrency
    public func process(_ image: any MLKitCompatibleImage, completion: @escaping PoseDetectionCallback) {
        pictures.process(try image.picture) { completion($0, $1) }
    }

    /// Detects the poses in a picture, most confident first.
    ///
    /// - Parameters:
    ///   - image: A `VisionImage` or an `MLImage`.
    ///   - isolation: Omit this parameter; it lets a picture stay in its actor.
    /// - Throws: An `NSError`, with code 1 if the task is canceled before the picture is processed.
    @nonobjc
    public func process(
        _ image: any MLKitCompatibleImage,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Pose] {
        try await pictures.process(translatingErrors { try image.picture })
    }

    /// Detects the poses in a picture while the caller waits, for callbacks of cameras.
    ///
    /// - Parameter image: A `VisionImage` or an `MLImage`.
    /// - Throws: An `NSError`, with code 9 if the call would block the main thread.
    #if canImport(ObjectiveC)
        @objc(resultsInImage:error:)
    #endif
    public func results(in image: any MLKitCompatibleImage) throws -> [Pose] {
        try pictures.results(in: try image.picture)
    }
}

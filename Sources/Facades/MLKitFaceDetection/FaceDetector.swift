import FacadeSupport
public import Foundation
import MLKitCommon
public import MLKitVision
internal import Sightline

/// Receives the faces in a picture or an error.
public typealias FaceDetectionCallback = @MainActor @Sendable (_ faces: [Face]?, _ error: (any Error)?) -> Void

/// Detects faces in pictures. (`MLKFaceDetector`)
///
/// ```swift
/// let faceDetector = FaceDetector.faceDetector(options: options)
/// faceDetector.process(image) { faces, error in
///     guard error == nil, let faces = faces, !faces.isEmpty else { return }
///     // Show results.
/// }
/// ```
///
/// You can use a detector from any thread. It processes one picture at a time, in the order of the calls, on its own
/// queue. The first picture loads the model. If the model cannot be used, that call and every later call returns an
/// error until it can be loaded.
#if canImport(ObjectiveC)
    @objc(MLKFaceDetector) @objcMembers
#endif
public final class FaceDetector: NSObject, Sendable {
    private let pictures: PictureQueue<[Face]>

    private init(options: FaceDetectorOptions) {
        let engine = DetectorEngine(options.settings)
        let (hasLandmarks, least) = (options.landmarkMode == .all, Double(options.minFaceSize))
        pictures = PictureQueue(domain: mlKitErrorDomain) { image, time in
            try engine.objects(in: image, at: time)
                .filter { $0.frame.width >= least * Double(image.size.width) }
                .map { Face($0, hasLandmarks: hasLandmarks) }
        }
    }

    /// Creates a detector.
    public class func faceDetector(options: FaceDetectorOptions) -> FaceDetector { FaceDetector(options: options) }

    /// Creates a detector with the default options.
    public class func faceDetector() -> FaceDetector { FaceDetector(options: FaceDetectorOptions()) }

    /// Detects the faces in a picture.
    ///
    /// - Parameters:
    ///   - image: A `VisionImage` or an `MLImage`.
    ///   - completion: Called once, on the main queue, with the faces or an `NSError`. For a picture without faces the array is
    ///     empty.
    #if canImport(ObjectiveC)
        @objc(processImage:completion:)
    #endif
    @preconcurrency
    public func process(_ image: any MLKitCompatibleImage, completion: @escaping FaceDetectionCallback) {
        pictures.process(try image.picture) { completion($0, $1) }
    }

    /// Detects the faces in a picture.
    ///
    /// - Parameters:
    ///   - image: A `VisionImage` or an `MLImage`.
    ///   - isolation: Omit this parameter; it lets a picture stay in its actor.
    /// - Throws: An `NSError`, with code 1 if the task is canceled before the picture is processed.
    @nonobjc
    public func process(
        _ image: any MLKitCompatibleImage,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Face] {
        try await pictures.process(translatingErrors { try image.picture })
    }

    /// Detects the faces in a picture while the caller waits, for callbacks of cameras.
    ///
    /// - Parameter image: A `VisionImage` or an `MLImage`.
    /// - Throws: An `NSError`, with code 9 if the call would block the main thread.
    #if canImport(ObjectiveC)
        @objc(resultsInImage:error:)
    #endif
    public func results(in image: any MLKitCompatibleImage) throws -> [Face] {
        try pictures.results(in: try image.picture)
    }
}

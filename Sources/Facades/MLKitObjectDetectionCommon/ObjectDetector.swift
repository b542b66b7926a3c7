import FacadeSupport
public import Foundation
import MLKitCommon
public import MLKitVision

/// Receives the objects in a picture or an error.
public typealias ObjectDetectionCallback = @MainActor @Sendable (_ objects: [Object]?, _ error: (any Error)?) -> Void

/// Detects, tracks and labels objects in pictures. (`MLKObjectDetector`)
///
/// ```swift
/// let objectDetector = ObjectDetector.objectDetector(options: options)
/// objectDetector.process(image) { objects, error in
///     guard error == nil, let objects = objects, !objects.isEmpty else { return }
///     // Show results.
/// }
/// ```
///
/// You can use a detector from any thread. It processes one picture at a time, in the order of the calls, on its own
/// queue. The first picture loads the models. If a model cannot be used, that call and every later call returns an
/// error until the model can be loaded.
///
/// In a stream the times of the calls count, so pass frames as soon as they are captured.
#if canImport(ObjectiveC)
    @objc(MLKObjectDetector) @objcMembers
#endif
public final class ObjectDetector: NSObject, Sendable {
    private let pictures: PictureQueue<[Object]>

    private init(options: CommonObjectDetectorOptions) {
        let engine = DetectorEngine(options.settings)
        pictures = PictureQueue(domain: mlKitErrorDomain) { try engine.objects(in: $0, at: $1).map(Object.init) }
    }

    /// Creates a detector.
    ///
    /// - Parameter options: An `ObjectDetectorOptions` or a `CustomObjectDetectorOptions`.
    public class func objectDetector(options: CommonObjectDetectorOptions) -> ObjectDetector {
        ObjectDetector(options: options)
    }

    /// Detects the objects in a picture.
    ///
    /// - Parameters:
    ///   - image: A `VisionImage` or an `MLImage`.
    ///   - completion: Called once, on the main queue, with the objects or an `NSError`. For a picture without objects
    ///     the array is empty.
    #if canImport(ObjectiveC)
        @objc(processImage:completion:)
    #endif
    @preconcurrency
    public func process(_ image: any MLKitCompatibleImage, completion: @escaping ObjectDetectionCallback) {
        pictures.process(try image.picture) { completion($0, $1) }
    }

    /// Detects the objects in a picture.
    ///
    /// - Parameters:
    ///   - image: A `VisionImage` or an `MLImage`.
    ///   - isolation: Omit this parameter; it lets a picture stay in its actor.
    /// - Throws: An `NSError`, with code 1 if the task is canceled before the picture is processed.
    @nonobjc
    public func process(
        _ image: any MLKitCompatibleImage,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Object] {
        try await pictures.process(translatingErrors { try image.picture })
    }

    /// Detects the objects in a picture while the caller waits, for callbacks of cameras.
    ///
    /// - Parameter image: A `VisionImage` or an `MLImage`.
    /// - Throws: An `NSError`, with code 9 if the call would block the main thread.
    #if canImport(ObjectiveC)
        @objc(resultsInImage:error:)
    #endif
    public func results(in image: any MLKitCompatibleImage) throws -> [Object] {
        try pictures.results(in: try image.picture)
    }
}

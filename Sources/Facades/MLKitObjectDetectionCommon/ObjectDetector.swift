import FacadeSupport
public import Foundation
import MLKitCommon
public import MLKitVision

/// What is told of a picture: its objects or an error.
public typealias ObjectDetectionCallback = @MainActor @Sendable (_ objects: [Object]?, _ error: (any Error)?) -> Void

/// Finds the objects in pictures, follows them, and names them. (`MLKObjectDetector`)
///
/// ```swift
/// let objectDetector = ObjectDetector.objectDetector(options: options)
/// objectDetector.process(image) { objects, error in
///     guard error == nil, let objects = objects, !objects.isEmpty else { return }
///     // Show results.
/// }
/// ```
///
/// A detector may be used from any thread. It looks at one picture at a time, in the order in which they come, on a queue of its
/// own. Models are loaded with the first picture; a model that cannot be used is an error of that call, and of each further one
/// until it can.
///
/// In a stream, time is that of the calls, so frames should come as they are taken.
public final class ObjectDetector: NSObject, Sendable {
    private let pictures: PictureQueue<Object>

    private init(options: CommonObjectDetectorOptions) {
        let engine = DetectorEngine(options.settings)
        pictures = PictureQueue(domain: mlKitErrorDomain) { try engine.objects(in: $0, at: $1).map(Object.init) }
    }

    /// A detector.
    ///
    /// - Parameter options: an `ObjectDetectorOptions` or a `CustomObjectDetectorOptions`.
    public class func objectDetector(options: CommonObjectDetectorOptions) -> ObjectDetector {
        ObjectDetector(options: options)
    }

    /// Finds the objects in a picture.
    ///
    /// - Parameters:
    ///   - image: a `VisionImage` or an `MLImage`.
    ///   - completion: called once, on the main queue, with objects or an `NSError`. A picture without objects gives none.
    @preconcurrency
    public func process(_ image: any MLKitCompatibleImage, completion: @escaping ObjectDetectionCallback) {
        pictures.process(try image.picture) { completion($0, $1) }
    }

    /// Finds the objects in a picture.
    ///
    /// - Parameters:
    ///   - image: a `VisionImage` or an `MLImage`.
    ///   - isolation: leave it out; it lets a picture stay with its actor.
    /// - Throws: an `NSError`; of code 1 if the task is cancelled before the picture's turn.
    public func process(
        _ image: any MLKitCompatibleImage,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Object] {
        try await pictures.process(translatingErrors { try image.picture })
    }

    /// Finds the objects in a picture, while the caller waits: for the callbacks of cameras.
    ///
    /// - Parameter image: a `VisionImage` or an `MLImage`.
    /// - Throws: an `NSError`; of code 9 on the main thread, which it would stop.
    public func results(in image: any MLKitCompatibleImage) throws -> [Object] {
        try pictures.results(in: try image.picture)
    }
}

import FacadeSupport
import Foundation

/// Receives the objects in a picture or an error.
public typealias VisionObjectDetectionCallback = @MainActor ([VisionObject]?, (any Error)?) -> Void

/// Detects, tracks and classifies objects in pictures.
///
/// The detector processes one picture at a time, in the order of the calls. The first picture loads the models. Errors
/// are `NSError`s with the domain `com.firebase.ml` and codes of google.rpc.
#if canImport(ObjectiveC)
    @objc(FIRVisionObjectDetector) @objcMembers
#endif
public final class VisionObjectDetector: NSObject, Sendable {
    private let queue: PictureQueue<[VisionObject]>

    init(_ settings: DetectorSettings) {
        let engine = DetectorEngine(settings)
        queue = PictureQueue(domain: FirebaseErrors.domain) { picture, arrival in
            try engine.objects(in: picture, at: arrival).map(VisionObject.init)
        }
    }

    /// Detects the objects in a picture.
    ///
    /// - Parameters:
    ///   - image: Read during the call; later changes have no effect.
    ///   - completion: Called exactly once, on the main queue, with either the objects or an error.
    #if canImport(ObjectiveC)
        @objc(processImage:completion:)
    #endif
    @preconcurrency
    public func process(_ image: VisionImage, completion: @escaping VisionObjectDetectionCallback) {
        queue.process(try image.picture()) { objects, error in completion(objects, error) }
    }

    /// Detects the objects in a picture.
    @nonobjc
    public func process(_ image: VisionImage) async throws -> [VisionObject] {
        try await queue.process(FirebaseErrors.translating { try image.picture() })
    }

    /// Detects the objects in a picture while the caller waits.
    ///
    /// - Throws: Also if it is called on the main thread, where Firebase ends the program.
    #if canImport(ObjectiveC)
        @objc(resultsInImage:error:)
    #endif
    public func results(in image: VisionImage) throws -> [VisionObject] { try queue.results(in: image.picture()) }
}

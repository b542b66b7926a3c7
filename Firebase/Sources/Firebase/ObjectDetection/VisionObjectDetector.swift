import FacadeSupport
import Foundation

/// What is called with the objects of a picture, or with an error.
public typealias VisionObjectDetectionCallback = @MainActor ([VisionObject]?, (any Error)?) -> Void

/// Finds the objects in pictures, follows them, and says of what category they are.
///
/// Pictures are looked at one at a time, in the order in which they come. Models are loaded with the first one. Errors are
/// `NSError`s of the domain `com.firebase.ml` with codes of google.rpc.
public final class VisionObjectDetector: NSObject, Sendable {
    private let queue: PictureQueue<VisionObject>

    init(_ settings: DetectorSettings) {
        let engine = DetectorEngine(settings)
        queue = PictureQueue(domain: FirebaseErrors.domain) { picture, arrival in
            try engine.objects(in: picture, at: arrival).map(VisionObject.init)
        }
    }

    /// Looks at a picture.
    ///
    /// - Parameters:
    ///   - image: read now; what changes later has no effect.
    ///   - completion: called exactly once, on the main queue, with either objects or an error.
    @preconcurrency
    public func process(_ image: VisionImage, completion: @escaping VisionObjectDetectionCallback) {
        queue.process(try image.picture()) { objects, error in completion(objects, error) }
    }

    /// Looks at a picture.
    public func process(_ image: VisionImage) async throws -> [VisionObject] {
        try await queue.process(FirebaseErrors.translating { try image.picture() })
    }

    /// Looks at a picture while the caller waits.
    ///
    /// - Throws: also if it is called on the main thread, where Firebase ends the program.
    public func results(in image: VisionImage) throws -> [VisionObject] { try queue.results(in: image.picture()) }
}

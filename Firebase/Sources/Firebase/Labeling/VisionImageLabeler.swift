import FacadeSupport
import Foundation

/// Receives the labels of a picture or an error.
public typealias VisionImageLabelerCallback = @MainActor ([VisionImageLabel]?, (any Error)?) -> Void

/// Labels pictures.
///
/// The labeler processes one picture at a time, in the order of the calls. The first picture loads the model. Errors
/// are `NSError`s with the domain `com.firebase.ml` and codes of google.rpc.
#if canImport(ObjectiveC)
    @objc(FIRVisionImageLabeler) @objcMembers
#endif
public final class VisionImageLabeler: NSObject, Sendable {
    /// The location and the origin of the model.
    public let type: VisionImageLabelerType
    private let queue: PictureQueue<[VisionImageLabel]>

    init(_ settings: LabelerSettings, type: VisionImageLabelerType) {
        self.type = type
        let engine = LabelerEngine(settings)
        queue = PictureQueue(domain: FirebaseErrors.domain) { picture, _ in
            try engine.labels(in: picture).map(VisionImageLabel.init)
        }
    }

    /// Labels a picture.
    ///
    /// - Parameters:
    ///   - image: Read during the call; later changes have no effect.
    ///   - completion: Called exactly once, on the main queue, with either the labels, most confident first, or an
    ///     error.
    #if canImport(ObjectiveC)
        @objc(processImage:completion:)
    #endif
    @preconcurrency
    public func process(_ image: VisionImage, completion: @escaping VisionImageLabelerCallback) {
        queue.process(try image.picture()) { labels, error in completion(labels, error) }
    }

    /// Labels a picture. The labels are sorted by confidence, most confident first.
    @nonobjc
    public func process(_ image: VisionImage) async throws -> [VisionImageLabel] {
        try await queue.process(FirebaseErrors.translating { try image.picture() })
    }
}

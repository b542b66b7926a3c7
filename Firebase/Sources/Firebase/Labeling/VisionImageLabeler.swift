import FacadeSupport
import Foundation

/// What is called with the labels of a picture, or with an error.
public typealias VisionImageLabelerCallback = @MainActor ([VisionImageLabel]?, (any Error)?) -> Void

/// Says what pictures show.
///
/// Pictures are looked at one at a time, in the order in which they come. The model is loaded with the first one. Errors are
/// `NSError`s of the domain `com.firebase.ml` with codes of google.rpc.
public final class VisionImageLabeler: NSObject, Sendable {
    /// Where its model runs and comes from.
    public let type: VisionImageLabelerType
    private let queue: PictureQueue<VisionImageLabel>

    init(_ settings: LabelerSettings, type: VisionImageLabelerType) {
        self.type = type
        let engine = LabelerEngine(settings)
        queue = PictureQueue(domain: FirebaseErrors.domain) { picture, _ in
            try engine.labels(in: picture).map(VisionImageLabel.init)
        }
    }

    /// Looks at a picture.
    ///
    /// - Parameters:
    ///   - image: read now; what changes later has no effect.
    ///   - completion: called exactly once, on the main queue, with either labels, the most confident first, or an error.
    @preconcurrency
    public func process(_ image: VisionImage, completion: @escaping VisionImageLabelerCallback) {
        queue.process(try image.picture()) { labels, error in completion(labels, error) }
    }

    /// Looks at a picture. The most confident label is the first.
    public func process(_ image: VisionImage) async throws -> [VisionImageLabel] {
        try await queue.process(FirebaseErrors.translating { try image.picture() })
    }
}

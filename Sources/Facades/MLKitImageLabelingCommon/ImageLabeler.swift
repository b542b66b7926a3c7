import FacadeSupport
public import Foundation
import MLKitCommon
public import MLKitVision

/// What is told of a picture: its labels or an error.
public typealias ImageLabelingCallback = @MainActor @Sendable (_ labels: [ImageLabel]?, _ error: (any Error)?) -> Void

/// Says what pictures show. (`MLKImageLabeler`)
///
/// ```swift
/// let labeler = ImageLabeler.imageLabeler(options: options)
/// labeler.process(image) { labels, error in
///     guard error == nil, let labels = labels else { return }
///     // Show results.
/// }
/// ```
///
/// A labeler may be used from any thread. It looks at one picture at a time, in the order in which they come, on a queue of its
/// own. The model is loaded with the first picture; a model that cannot be used is an error of that call, and of each further
/// one until it can.
public final class ImageLabeler: NSObject, Sendable {
    private let pictures: PictureQueue<ImageLabel>

    private init(options: CommonImageLabelerOptions) {
        let engine = LabelerEngine(options.settings)
        pictures = PictureQueue(domain: mlKitErrorDomain) { image, _ in
            try engine.labels(in: image).map(ImageLabel.init)
        }
    }

    /// A labeler.
    ///
    /// - Parameter options: an `ImageLabelerOptions` or a `CustomImageLabelerOptions`.
    public class func imageLabeler(options: CommonImageLabelerOptions) -> ImageLabeler {
        ImageLabeler(options: options)
    }

    /// Names a picture.
    ///
    /// - Parameters:
    ///   - image: a `VisionImage` or an `MLImage`.
    ///   - completion: called once, on the main queue, with labels, the most confident first, or an `NSError`.
    @preconcurrency
    public func process(_ image: any MLKitCompatibleImage, completion: @escaping ImageLabelingCallback) {
        pictures.process(try image.picture) { completion($0, $1) }
    }

    /// Names a picture.
    ///
    /// - Parameters:
    ///   - image: a `VisionImage` or an `MLImage`.
    ///   - isolation: leave it out; it lets a picture stay with its actor.
    /// - Returns: the most confident label first.
    /// - Throws: an `NSError`; of code 1 if the task is cancelled before the picture's turn.
    public func process(
        _ image: any MLKitCompatibleImage,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [ImageLabel] {
        try await pictures.process(translatingErrors { try image.picture })
    }

    /// Names a picture, while the caller waits: for the callbacks of cameras.
    ///
    /// - Parameter image: a `VisionImage` or an `MLImage`.
    /// - Returns: the most confident label first.
    /// - Throws: an `NSError`; of code 9 on the main thread, which it would stop.
    public func results(in image: any MLKitCompatibleImage) throws -> [ImageLabel] {
        try pictures.results(in: try image.picture)
    }
}

import FacadeSupport
public import Foundation
import MLKitCommon
public import MLKitVision

/// Receives the labels of a picture or an error.
public typealias ImageLabelingCallback = @MainActor @Sendable (_ labels: [ImageLabel]?, _ error: (any Error)?) -> Void

/// Labels pictures. (`MLKImageLabeler`)
///
/// ```swift
/// let labeler = ImageLabeler.imageLabeler(options: options)
/// labeler.process(image) { labels, error in
///     guard error == nil, let labels = labels else { return }
///     // Show results.
/// }
/// ```
///
/// You can use a labeler from any thread. It processes one picture at a time, in the order of the calls, on its own
/// queue. The first picture loads the model. If the model cannot be used, that call and every later call returns an
/// error until the model can be loaded.
#if canImport(ObjectiveC)
    @objc(MLKImageLabeler) @objcMembers
#endif
public final class ImageLabeler: NSObject, Sendable {
    private let pictures: PictureQueue<[ImageLabel]>

    private init(options: CommonImageLabelerOptions) {
        let engine = LabelerEngine(options.settings)
        pictures = PictureQueue(domain: mlKitErrorDomain) { image, _ in
            try engine.labels(in: image).map(ImageLabel.init)
        }
    }

    /// Creates a labeler.
    ///
    /// - Parameter options: An `ImageLabelerOptions` or a `CustomImageLabelerOptions`.
    public class func imageLabeler(options: CommonImageLabelerOptions) -> ImageLabeler {
        ImageLabeler(options: options)
    }

    /// Labels a picture.
    ///
    /// - Parameters:
    ///   - image: A `VisionImage` or an `MLImage`.
    ///   - completion: Called once, on the main queue, with the labels, most confident first, or with an `NSError`.
    #if canImport(ObjectiveC)
        @objc(processImage:completion:)
    #endif
    @preconcurrency
    public func process(_ image: any MLKitCompatibleImage, completion: @escaping ImageLabelingCallback) {
        pictures.process(try image.picture) { completion($0, $1) }
    }

    /// Labels a picture.
    ///
    /// - Parameters:
    ///   - image: A `VisionImage` or an `MLImage`.
    ///   - isolation: Omit this parameter; it lets a picture stay in its actor.
    /// - Returns: The labels, most confident first.
    /// - Throws: An `NSError`, with code 1 if the task is canceled before the picture is processed.
    @nonobjc
    public func process(
        _ image: any MLKitCompatibleImage,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [ImageLabel] {
        try await pictures.process(translatingErrors { try image.picture })
    }

    /// Labels a picture while the caller waits, for callbacks of cameras.
    ///
    /// - Parameter image: A `VisionImage` or an `MLImage`.
    /// - Returns: The labels, most confident first.
    /// - Throws: An `NSError`, with code 9 if the call would block the main thread.
    #if canImport(ObjectiveC)
        @objc(resultsInImage:error:)
    #endif
    public func results(in image: any MLKitCompatibleImage) throws -> [ImageLabel] {
        try pictures.results(in: try image.picture)
    }
}

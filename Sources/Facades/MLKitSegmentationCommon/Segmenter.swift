import FacadeSupport
public import Foundation
import MLKitCommon
public import MLKitVision

/// Receives the mask of a picture or an error.
public typealias SegmentationCallback = @MainActor @Sendable (_ mask: SegmentationMask?, _ error: (any Error)?) -> Void

/// Separates the foreground of pictures, such as the person of a selfie, from the background. (`MLKSegmenter`)
///
/// ```swift
/// let segmenter = Segmenter.segmenter(options: options)
/// segmenter.process(image) { mask, error in
///     guard error == nil, let mask = mask else { return }
///     // Use the mask.
/// }
/// ```
///
/// You can use a segmenter from any thread. It processes one picture at a time, in the order of the calls, on its own
/// queue. The first picture loads the model. If the model cannot be used, that call and every later call returns an
/// error until it can be loaded.
#if canImport(ObjectiveC)
    @objc(MLKSegmenter) @objcMembers
#endif
public final class Segmenter: NSObject, Sendable {
    private let pictures: PictureQueue<SegmentationMask>

    private init(options: CommonSegmenterOptions) {
        let engine = options.engine
        pictures = PictureQueue(domain: mlKitErrorDomain) { image, _ in try SegmentationMask(engine.mask(of: image)) }
    }

    /// Creates a segmenter.
    ///
    /// - Parameter options: A `SelfieSegmenterOptions`.
    public class func segmenter(options: CommonSegmenterOptions) -> Segmenter { Segmenter(options: options) }

    /// Finds the foreground of a picture.
    ///
    /// - Parameters:
    ///   - image: A `VisionImage` or an `MLImage`.
    ///   - completion: Called once, on the main queue, with the mask or an `NSError`.
    #if canImport(ObjectiveC)
        @objc(processImage:completion:)
    #endif
    @preconcurrency
    public func process(_ image: any MLKitCompatibleImage, completion: @escaping SegmentationCallback) {
        pictures.process(try image.picture) { completion($0, $1) }
    }

    /// Finds the foreground of a picture.
    ///
    /// - Parameters:
    ///   - image: A `VisionImage` or an `MLImage`.
    ///   - isolation: Omit this parameter; it lets a picture stay in its actor.
    /// - Throws: An `NSError`, with code 1 if the task is canceled before the picture is processed.
    @nonobjc
    public func process(
        _ image: any MLKitCompatibleImage,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> SegmentationMask {
        try await pictures.process(translatingErrors { try image.picture })
    }

    /// Finds the foreground of a picture while the caller waits, for callbacks of cameras.
    ///
    /// - Parameter image: A `VisionImage` or an `MLImage`.
    /// - Throws: An `NSError`, with code 9 if the call would block the main thread.
    #if canImport(ObjectiveC)
        @objc(resultsInImage:error:)
    #endif
    public func results(in image: any MLKitCompatibleImage) throws -> SegmentationMask {
        try pictures.results(in: try image.picture)
    }
}

import FacadeSupport
public import Foundation
public import Sightline

#if canImport(UIKit)
    public import UIKit
#endif
#if canImport(CoreMedia) && canImport(CoreVideo)
    public import CoreMedia
    public import CoreVideo
#endif

/// The source of an ``MLImage``. (`GMLImageSourceType`)
public struct ImageSourceType: RawRepresentable, Sendable, Hashable {
    /// The number of the source.
    public let rawValue: Int

    /// Creates a source from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A `UIImage`; on Linux a file or its bytes.
    public static let image = ImageSourceType(rawValue: 0)
    /// A `CVPixelBuffer`; on Linux pixels in memory.
    public static let pixelBuffer = ImageSourceType(rawValue: 1)
    /// A `CMSampleBuffer`.
    public static let sampleBuffer = ImageSourceType(rawValue: 2)
}

/// A picture for detectors and labelers, as an alternative to `VisionImage`. (`GMLImage`)
///
/// On Linux you create it from a file, from its bytes, or from pixels, in place of `UIImage`, `CVPixelBuffer` and
/// `CMSampleBuffer`.
#if canImport(ObjectiveC)
    @objc(GMLImage) @objcMembers
#endif
public final class MLImage: NSObject {
    /// The picture.
    package private(set) var content: FacadePicture
    /// The source of the picture.
    public let imageSourceType: ImageSourceType
    #if canImport(UIKit)
        /// The `UIImage` of the picture; nil for another source.
        public internal(set) var image: UIImage?
    #endif
    #if canImport(CoreMedia) && canImport(CoreVideo)
        /// The pixel buffer of the picture; nil for another source.
        public internal(set) var pixelBuffer: CVPixelBuffer?
        /// The camera frame of the picture; nil for another source.
        public internal(set) var sampleBuffer: CMSampleBuffer?
    #endif
    private let size: PixelSize

    /// Creates a picture from a file of a format in `ImageFormat.readable`. The orientation comes from the file.
    ///
    /// - Returns: Nil if the file does not exist or cannot be read as a picture.
    #if canImport(ObjectiveC)
        @objc(initWithContentsOfURL:)
    #endif
    public convenience init?(contentsOf url: URL) {
        guard let image = try? VisionImage(contentsOf: url) else { return nil }
        self.init(image)
    }

    /// Creates a picture from the bytes of a file of a format in `ImageFormat.readable`. The orientation comes from the file.
    ///
    /// - Returns: Nil if the bytes cannot be read as a picture.
    public convenience init?(data: Data) {
        guard let image = try? VisionImage(data: data) else { return nil }
        self.init(image)
    }

    /// Creates a picture from pixels in memory, upright unless ``orientation`` is set.
    public convenience init(pixels: PixelBuffer) {
        self.init(VisionImage(pixels: pixels), type: .pixelBuffer)
    }

    /// Creates a picture from a picture of Sightline.
    public convenience init(_ image: Sightline.VisionImage) {
        self.init(image, type: .image)
    }

    /// Creates a picture from a picture of Sightline and its source.
    init(_ image: Sightline.VisionImage, type: ImageSourceType) {
        content = FacadePicture(image)
        imageSourceType = type
        size = image.size
    }

    /// The width of the upright picture in pixels, at the time of its creation. A later change of the orientation has
    /// no effect.
    public var width: CGFloat { CGFloat(size.width) }
    /// The height of the upright picture in pixels, at the time of its creation. A later change of the orientation has
    /// no effect.
    public var height: CGFloat { CGFloat(size.height) }

    /// The orientation of the stored rows relative to the upright picture, in the package's own type on all systems.
    package var storedOrientation: ImageOrientation {
        get { content.orientation }
        set { content.orientation = newValue }
    }

    #if !canImport(UIKit)
        /// The orientation of the stored rows relative to the upright picture; names as in `UIImage.Orientation`.
        public var orientation: ImageOrientation {
            get { storedOrientation }
            set { storedOrientation = newValue }
        }
    #endif
}

extension MLImage: FacadePictureContainer {}

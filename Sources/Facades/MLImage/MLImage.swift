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

/// What an ``MLImage`` was made of. (`MLImageSourceType`)
public struct ImageSourceType: RawRepresentable, Sendable, Hashable {
    /// The number of the kind.
    public let rawValue: Int

    /// A kind by its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A `UIImage`; on Linux a file or its bytes.
    public static let image = ImageSourceType(rawValue: 0)
    /// A `CVPixelBuffer`; on Linux pixels in memory.
    public static let pixelBuffer = ImageSourceType(rawValue: 1)
    /// A `CMSampleBuffer`.
    public static let sampleBuffer = ImageSourceType(rawValue: 2)
}

/// A picture for detectors and labelers, beside `VisionImage`. (`MLImage`)
///
/// On Linux it is made of a file, its bytes or pixels, which stand for `UIImage`, `CVPixelBuffer` and `CMSampleBuffer`.
public final class MLImage: NSObject {
    /// The picture.
    package private(set) var held: HeldPicture
    /// What the picture was made of.
    public let imageSourceType: ImageSourceType
    #if canImport(UIKit)
        /// The `UIImage` that the picture was made of; nil for another source.
        public internal(set) var image: UIImage?
    #endif
    #if canImport(CoreMedia) && canImport(CoreVideo)
        /// The pixels in memory that the picture was made of; nil for another source.
        public internal(set) var pixelBuffer: CVPixelBuffer?
        /// The frame of a camera that the picture was made of; nil for another source.
        public internal(set) var sampleBuffer: CMSampleBuffer?
    #endif
    private let size: PixelSize

    /// A picture of a file: JPEG, PNG or WebP. Its orientation is the one that EXIF data in the file state.
    ///
    /// - Returns: nil if there is no such file or it cannot be read as a picture.
    public convenience init?(contentsOf url: URL) {
        guard let image = try? VisionImage(contentsOf: url) else { return nil }
        self.init(image)
    }

    /// A picture of the bytes of a file: JPEG, PNG or WebP. Its orientation is the one that EXIF data state.
    ///
    /// - Returns: nil if the bytes cannot be read as a picture.
    public convenience init?(data: Data) {
        guard let image = try? VisionImage(data: data) else { return nil }
        self.init(image)
    }

    /// A picture of pixels in memory, upright unless ``orientation`` is set.
    public convenience init(pixels: PixelBuffer) {
        self.init(VisionImage(pixels: pixels), type: .pixelBuffer)
    }

    /// A picture of one of Sightline's own.
    public convenience init(_ image: Sightline.VisionImage) {
        self.init(image, type: .image)
    }

    /// A picture of one of Sightline's own, and what that was made of.
    init(_ image: Sightline.VisionImage, type: ImageSourceType) {
        held = HeldPicture(image)
        imageSourceType = type
        size = image.size
    }

    /// The width of the picture in pixels, upright as it was when this was made. A change of the orientation does not change it.
    public var width: CGFloat { CGFloat(size.width) }
    /// The height of the picture in pixels, upright as it was when this was made. A change of the orientation does not change it.
    public var height: CGFloat { CGFloat(size.height) }

    /// How the stored rows relate to the upright picture, as the package has it on all systems.
    package var storedOrientation: ImageOrientation {
        get { held.orientation }
        set { held.orientation = newValue }
    }

    #if !canImport(UIKit)
        /// How the stored rows relate to the upright picture; names as in `UIImage.Orientation`.
        public var orientation: ImageOrientation {
            get { storedOrientation }
            set { storedOrientation = newValue }
        }
    #endif
}

extension MLImage: PictureHolder {}

import FacadeSupport
public import Foundation
public import Sightline

/// A picture for detectors and labelers, beside `VisionImage`. (`MLImage`)
///
/// On Linux it is made of a file, its bytes or pixels, which stand for `UIImage`, `CVPixelBuffer` and `CMSampleBuffer`.
public final class MLImage: NSObject {
    /// The picture.
    package private(set) var held: HeldPicture
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
        self.init(VisionImage(pixels: pixels))
    }

    /// A picture of one of Sightline's own.
    public init(_ image: Sightline.VisionImage) {
        held = HeldPicture(image)
        size = image.orientation.swapsAxes ? image.size.transposed : image.size
    }

    /// The width of the picture as it is stored, in pixels.
    public var width: CGFloat { CGFloat(size.width) }
    /// The height of the picture as it is stored, in pixels.
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

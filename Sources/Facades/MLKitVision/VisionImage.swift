import FacadeSupport
public import Foundation
import MLKitCommon
public import Sightline
import Synchronization

/// A picture for detectors and labelers. (`MLKVisionImage`)
///
/// ```swift
/// let image = try VisionImage(contentsOf: photo)   // on Linux, in the place of VisionImage(image: UIImage)
/// let frame = VisionImage(pixels: buffer)          // and of VisionImage(buffer: CMSampleBuffer)
/// frame.orientation = .right
/// ```
///
/// JPEG, PNG and WebP are read. A detector or labeler reads the picture when it is called, so that you may change the picture
/// afterwards, from any thread.
public final class VisionImage: NSObject, MLKitCompatibleImage, PictureHolder, Sendable {
    private let state: Mutex<HeldPicture>

    /// The picture.
    package var held: HeldPicture { state.withLock(\.self) }

    /// A picture, or a reason why there is none, which the first call that looks at it will give.
    package init(_ held: HeldPicture) {
        state = Mutex(held)
    }

    /// A picture of a file. Its ``orientation`` is the one that EXIF data in the file state, as that of a `UIImage` is.
    ///
    /// - Parameter url: JPEG, PNG or WebP.
    /// - Throws: an `NSError`; of code 5 if there is no such file, 3 if it is none of these or damaged, 8 if it is too large.
    public convenience init(contentsOf url: URL) throws {
        self.init(try translatingErrors { HeldPicture(try Sightline.VisionImage(contentsOf: url)) })
    }

    /// A picture of the bytes of a file. Its ``orientation`` is the one that EXIF data state, as that of a `UIImage` is.
    ///
    /// - Parameter data: JPEG, PNG or WebP.
    /// - Throws: an `NSError`; of code 3 if it is none of these or damaged, 8 if it is too large.
    public convenience init(data: Data) throws {
        self.init(try translatingErrors { HeldPicture(try Sightline.VisionImage(data: data)) })
    }

    /// A picture of pixels in memory, such as a frame of a camera; upright unless ``orientation`` is set.
    ///
    /// - Parameter pixels: they are not copied.
    public convenience init(pixels: PixelBuffer) {
        self.init(HeldPicture(Sightline.VisionImage(pixels: pixels)))
    }

    /// A picture of one of Sightline's own.
    public convenience init(_ image: Sightline.VisionImage) {
        self.init(HeldPicture(image))
    }

    /// How the stored rows relate to the upright picture, as the package has it on all systems.
    package var storedOrientation: ImageOrientation {
        get { held.orientation }
        set { state.withLock { $0.orientation = newValue } }
    }

    #if !canImport(UIKit)
        /// The type of ``orientation``: `UIImage.Orientation` where there is one, otherwise Sightline's, with the same names.
        public typealias Orientation = ImageOrientation

        /// How the stored rows relate to the upright picture.
        public var orientation: Orientation {
            get { storedOrientation }
            set { storedOrientation = newValue }
        }
    #endif
}

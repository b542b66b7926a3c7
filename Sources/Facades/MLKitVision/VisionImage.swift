import FacadeSupport
public import Foundation
import MLKitCommon
public import Sightline
import SightlineLocks

/// A picture for detectors and labelers. (`MLKVisionImage`)
///
/// ```swift
/// let image = try VisionImage(contentsOf: photo)   // on Linux, instead of VisionImage(image: UIImage)
/// let frame = VisionImage(pixels: buffer)          // and instead of VisionImage(buffer: CMSampleBuffer)
/// frame.orientation = .right
/// ```
///
/// The initializers read all formats in Sightline's `ImageFormat.readable`. A detector or labeler reads the picture when it is called, so you may
/// change the picture afterwards, from any thread.
#if canImport(ObjectiveC)
    @objc(MLKVisionImage) @objcMembers
#endif
public final class VisionImage: NSObject, MLKitCompatibleImage, FacadePictureContainer, Sendable {
    private let state: Mutex<FacadePicture>

    /// The picture.
    package var content: FacadePicture { state.withLock(\.self) }

    /// Creates a picture, or an error that the first use of the picture reports.
    package init(_ content: FacadePicture) {
        state = Mutex(content)
    }

    /// Creates a picture from a file. Its ``orientation`` comes from the EXIF data in the file, as for a `UIImage`.
    ///
    /// - Parameter url: A file of a format in Sightline's `ImageFormat.readable`.
    /// - Throws: An `NSError`, with code 5 if the file does not exist, 3 if it has another format or is damaged, 8 if
    ///   it is too large.
    #if canImport(ObjectiveC)
        @objc(initWithContentsOfURL:error:)
    #endif
    public convenience init(contentsOf url: URL) throws {
        self.init(try translatingErrors { FacadePicture(try Sightline.VisionImage(contentsOf: url)) })
    }

    /// Creates a picture from the bytes of a file. Its ``orientation`` comes from the EXIF data, as for a `UIImage`.
    ///
    /// - Parameter data: The bytes of such a file.
    /// - Throws: An `NSError`, with code 3 if the bytes have another format or are damaged, 8 if the picture is too
    ///   large.
    public convenience init(data: Data) throws {
        self.init(try translatingErrors { FacadePicture(try Sightline.VisionImage(data: data)) })
    }

    /// Creates a picture from pixels in memory, such as a frame of a camera; upright unless ``orientation`` is set.
    ///
    /// - Parameter pixels: The pixels, which are not copied.
    public convenience init(pixels: PixelBuffer) {
        self.init(FacadePicture(Sightline.VisionImage(pixels: pixels)))
    }

    /// Creates a picture from a picture of Sightline.
    public convenience init(_ image: Sightline.VisionImage) {
        self.init(FacadePicture(image))
    }

    /// The orientation of the stored rows relative to the upright picture, in the package's own type on all systems.
    package var storedOrientation: ImageOrientation {
        get { content.orientation }
        set { state.withLock { $0.orientation = newValue } }
    }

    #if !canImport(UIKit)
        /// The type of ``orientation``: `UIImage.Orientation` on systems that have it, otherwise Sightline's type with
        /// the same names.
        public typealias Orientation = ImageOrientation

        /// The orientation of the stored rows relative to the upright picture.
        public var orientation: Orientation {
            get { storedOrientation }
            set { storedOrientation = newValue }
        }
    #endif
}

import FacadeSupport
import Sightline

#if canImport(UIKit)
    public import UIKit

    extension VisionImage {
        /// A picture of a `UIImage`, with its orientation. Where that has no `cgImage`, or is too large, its use is an error of
        /// code 3 or 8.
        public convenience init(image: UIImage) {
            self.init(
                HeldPicture(orientation: ImageOrientation(image.imageOrientation)) { try Sightline.VisionImage(image) }
            )
        }

        /// The type of ``orientation``: Sightline's, with the same names, where there is no UIKit.
        public typealias Orientation = UIImage.Orientation

        /// How the stored rows relate to the upright picture.
        public var orientation: Orientation {
            get { UIImage.Orientation(storedOrientation) }
            set { storedOrientation = ImageOrientation(newValue) }
        }
    }
#endif

#if canImport(CoreMedia) && canImport(CoreVideo)
    public import CoreMedia

    extension VisionImage {
        /// A frame of a camera, which is not copied; upright unless ``orientation`` is set.
        ///
        /// Where it is of another format than 32BGRA, 420v and 420f, its use is an error of code 3.
        public convenience init(buffer: CMSampleBuffer) {
            self.init(HeldPicture { try Sightline.VisionImage(buffer) })
        }
    }
#endif

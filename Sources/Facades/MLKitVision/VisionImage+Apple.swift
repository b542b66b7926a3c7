import FacadeSupport
import Sightline

#if canImport(UIKit)
    public import UIKit

    extension VisionImage {
        /// Creates a picture from a `UIImage`, with its orientation. If the image has no `cgImage`, or is too large,
        /// its use leads to an error with code 3 or 8.
        public convenience init(image: UIImage) {
            self.init(FacadePicture(image))
        }

        /// The type of ``orientation``. Systems without UIKit use Sightline's type, with the same names.
        public typealias Orientation = UIImage.Orientation

        /// The orientation of the stored rows relative to the upright picture.
        public var orientation: Orientation {
            get { UIImage.Orientation(storedOrientation) }
            set { storedOrientation = ImageOrientation(newValue) }
        }
    }
#endif

#if canImport(CoreMedia) && canImport(CoreVideo)
    public import CoreMedia

    extension VisionImage {
        /// Creates a picture from a frame of a camera, without copying it; upright unless ``orientation`` is set.
        ///
        /// If the format is not 32BGRA, 420v or 420f, its use leads to an error with code 3.
        public convenience init(buffer: CMSampleBuffer) {
            self.init(FacadePicture(buffer))
        }
    }
#endif

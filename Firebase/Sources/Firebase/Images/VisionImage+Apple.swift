import FacadeSupport
import Sightline

#if canImport(UIKit)
    public import UIKit

    extension VisionImage {
        /// Creates a picture from a `UIImage`. If the image has no `cgImage`, or is too large, its use leads to an
        /// error with code 3 or 8.
        ///
        /// The image's `imageOrientation` applies while ``metadata`` is nil.
        public convenience init(image: UIImage) {
            self.init(FacadePicture(image))
        }
    }
#endif

#if canImport(CoreMedia) && canImport(CoreVideo)
    public import CoreMedia

    extension VisionImage {
        /// Creates a picture from a frame of a camera, without copying it; ``metadata`` states its orientation.
        ///
        /// If the format is not 32BGRA, 420v or 420f, its use leads to an error with code 3.
        public convenience init(buffer: CMSampleBuffer) {
            self.init(FacadePicture(buffer))
        }
    }
#endif

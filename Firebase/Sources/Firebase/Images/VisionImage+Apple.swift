import FacadeSupport
import Sightline

#if canImport(UIKit)
    public import UIKit

    extension VisionImage {
        /// A picture of a `UIImage`. Where that has no `cgImage`, or is too large, its use is an error of code 3 or 8.
        ///
        /// Its `imageOrientation` counts as long as ``metadata`` are nil.
        public convenience init(image: UIImage) {
            self.init(
                HeldPicture(orientation: ImageOrientation(image.imageOrientation)) { try Sightline.VisionImage(image) }
            )
        }
    }
#endif

#if canImport(CoreMedia) && canImport(CoreVideo)
    public import CoreMedia

    extension VisionImage {
        /// A frame of a camera, which is not copied; ``metadata`` say how it stands.
        ///
        /// Where it is of another format than 32BGRA, 420v and 420f, its use is an error of code 3.
        public convenience init(buffer: CMSampleBuffer) {
            self.init(HeldPicture { try Sightline.VisionImage(buffer) })
        }
    }
#endif

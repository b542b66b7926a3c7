import Sightline

#if canImport(UIKit)
    public import UIKit

    extension FacadePicture {
        /// Creates contents from a `UIImage`, with its orientation.
        public init(_ image: UIImage) {
            self.init(orientation: ImageOrientation(image.imageOrientation)) { try VisionImage(image) }
        }
    }
#endif

#if canImport(CoreMedia) && canImport(CoreVideo)
    public import CoreMedia

    extension FacadePicture {
        /// Creates contents from a frame of a camera, without copying it.
        public init(_ buffer: CMSampleBuffer) {
            self.init { try VisionImage(buffer) }
        }
    }
#endif

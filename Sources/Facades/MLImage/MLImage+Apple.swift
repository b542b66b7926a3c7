import Sightline

#if canImport(UIKit)
    public import UIKit

    extension MLImage {
        /// A picture of a `UIImage`, with its orientation.
        ///
        /// - Returns: nil if it has no `cgImage` or is too large.
        public convenience init?(image: UIImage) {
            guard let picture = try? VisionImage(image) else { return nil }
            self.init(picture, type: .image)
            self.image = image
        }

        /// How the stored rows relate to the upright picture.
        public var orientation: UIImage.Orientation {
            get { UIImage.Orientation(storedOrientation) }
            set { storedOrientation = ImageOrientation(newValue) }
        }
    }
#endif

#if canImport(CoreMedia) && canImport(CoreVideo)
    public import CoreMedia
    public import CoreVideo

    extension MLImage {
        /// A picture of pixels in memory, which are not copied.
        ///
        /// - Returns: nil for another format than 32BGRA, 420v, 420f, or one gray byte a pixel.
        public convenience init?(pixelBuffer: CVPixelBuffer) {
            guard let picture = try? VisionImage(pixelBuffer) else { return nil }
            self.init(picture, type: .pixelBuffer)
            self.pixelBuffer = pixelBuffer
        }

        /// A frame of a camera, which is not copied.
        ///
        /// - Returns: nil if it holds no frame, or one of another format than 32BGRA, 420v and 420f.
        public convenience init?(sampleBuffer: CMSampleBuffer) {
            guard let picture = try? VisionImage(sampleBuffer) else { return nil }
            self.init(picture, type: .sampleBuffer)
            self.sampleBuffer = sampleBuffer
        }
    }
#endif

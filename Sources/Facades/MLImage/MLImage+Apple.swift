import Sightline

#if canImport(UIKit)
    public import UIKit

    extension MLImage {
        /// Creates a picture from a `UIImage`, with its orientation.
        ///
        /// - Returns: Nil if the image has no `cgImage` or is too large.
        public convenience init?(image: UIImage) {
            guard let picture = try? VisionImage(image) else { return nil }
            self.init(picture, type: .image)
            self.image = image
        }

        /// The orientation of the stored rows relative to the upright picture.
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
        /// Creates a picture from pixels in memory, without copying them.
        ///
        /// - Returns: Nil for formats other than 32BGRA, 420v, 420f, and a single gray byte per pixel.
        public convenience init?(pixelBuffer: CVPixelBuffer) {
            guard let picture = try? VisionImage(pixelBuffer) else { return nil }
            self.init(picture, type: .pixelBuffer)
            self.pixelBuffer = pixelBuffer
        }

        /// Creates a picture from a frame of a camera, without copying it.
        ///
        /// - Returns: Nil if there is no frame, or if its format is not 32BGRA, 420v or 420f.
        public convenience init?(sampleBuffer: CMSampleBuffer) {
            guard let picture = try? VisionImage(sampleBuffer) else { return nil }
            self.init(picture, type: .sampleBuffer)
            self.sampleBuffer = sampleBuffer
        }
    }
#endif

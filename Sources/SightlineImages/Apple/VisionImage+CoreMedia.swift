#if canImport(CoreMedia) && canImport(CoreVideo)
    public import CoreMedia
    public import CoreVideo

    extension VisionImage {
        /// Takes the pixels of a Core Video buffer as they are, without copying them.
        ///
        /// - Parameters:
        ///   - buffer: A buffer in the format 32BGRA, 420v, 420f, or one gray byte per pixel.
        ///   - orientation: The relation of its rows to the upright picture.
        /// - Throws: `ImageError.invalidPixelBuffer` for another format, or if the buffer cannot be read.
        public init(_ buffer: CVPixelBuffer, orientation: ImageOrientation = .up) throws(ImageError) {
            self.init(pixels: try PixelBuffer(buffer), orientation: orientation)
        }

        /// Takes the frame of a camera as it is, without copying it.
        ///
        /// - Parameters:
        ///   - buffer: The buffer that `captureOutput(_:didOutput:from:)` receives.
        ///   - orientation: The relation of its rows to the upright picture.
        /// - Throws: `ImageError.invalidPixelBuffer` if it holds no frame, or if the frame has another format than 32BGRA, 420v,
        ///   420f or gray.
        public init(_ buffer: CMSampleBuffer, orientation: ImageOrientation = .up) throws(ImageError) {
            guard let pixels = CMSampleBufferGetImageBuffer(buffer) else {
                throw .invalidPixelBuffer(reason: "the sample buffer holds no frame")
            }
            try self.init(pixels, orientation: orientation)
        }
    }
#endif

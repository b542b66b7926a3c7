#if canImport(ImageIO)
    public import ImageIO

    extension ImageOrientation {
        /// The orientation with the same EXIF value.
        public init(_ orientation: CGImagePropertyOrientation) {
            self = UInt8(exactly: orientation.rawValue).flatMap(ImageOrientation.init(rawValue:)) ?? .up
        }
    }
#endif

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit

    extension VisionImage {
        /// Draws an `NSImage` into pixels, at the size of its best representation.
        ///
        /// - Parameters:
        ///   - image: A picture with a representation that Core Graphics can draw.
        ///   - limits: The largest picture to accept.
        /// - Throws: `ImageError.invalidPixelBuffer` if it has no such representation, `.tooLarge` or `.outOfMemory`.
        public init(_ image: NSImage, limits: ImageLimits = .standard) throws(ImageError) {
            guard let picture = image.cgImage(forProposedRect: nil, context: nil, hints: nil) else {
                throw .invalidPixelBuffer(reason: "the NSImage has no representation that can be drawn")
            }
            try self.init(picture, limits: limits)
        }
    }
#endif

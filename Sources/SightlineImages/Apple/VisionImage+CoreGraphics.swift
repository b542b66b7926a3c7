#if canImport(CoreGraphics)
    public import CoreGraphics
    import Foundation

    extension VisionImage {
        /// Draws a Core Graphics picture into pixels. Transparent parts show white.
        ///
        /// - Parameters:
        ///   - image: A picture of any color space and depth.
        ///   - orientation: The relation of its rows to the upright picture.
        ///   - limits: The largest picture to accept.
        /// - Throws: `ImageError.tooLarge` or `.outOfMemory`.
        public init(
            _ image: CGImage,
            orientation: ImageOrientation = .up,
            limits: ImageLimits = .standard
        ) throws(ImageError) {
            let size = PixelSize(width: image.width, height: image.height)
            try limits.check(size)
            let bytesPerRow = size.width * 4
            var bytes = Data(count: bytesPerRow * size.height)
            let isDrawn = bytes.withUnsafeMutableBytes { memory in
                guard
                    let context = CGContext(
                        data: memory.baseAddress,
                        width: size.width,
                        height: size.height,
                        bitsPerComponent: 8,
                        bytesPerRow: bytesPerRow,
                        space: CGColorSpaceCreateDeviceRGB(),
                        bitmapInfo: CGImageAlphaInfo.noneSkipLast.rawValue
                    )
                else { return false }
                let area = CGRect(x: 0, y: 0, width: size.width, height: size.height)
                context.setFillColor(red: 1, green: 1, blue: 1, alpha: 1)
                context.fill(area)
                context.draw(image, in: area)
                return true
            }
            guard isDrawn else { throw .outOfMemory(bytes: bytes.count) }
            let plane = PixelBuffer.Plane(data: bytes, bytesPerRow: bytesPerRow)
            let pixels = try PixelBuffer(format: .rgba, width: size.width, height: size.height, planes: [plane])
            self.init(pixels: pixels, orientation: orientation)
        }
    }
#endif

#if canImport(ImageIO) && canImport(CoreGraphics)
    import CoreGraphics
    import Foundation
    import ImageIO

    /// A picture file whose header Image I/O has read.
    ///
    /// Image I/O leaves the rows as they are stored and states their orientation. Colors are matched to the RGB space of the device,
    /// which libjpeg and its like do not do: photos with a wide color space differ a little from those that Linux decodes.
    struct ImageIOImage: CodedImage {
        /// The name of the format in messages.
        let format: String
        let data: Data
        let size: PixelSize
        let orientation: ImageOrientation?
        /// Whether the file has one channel, without transparency.
        let isGray: Bool

        /// Reads a file's header.
        ///
        /// - Throws: `ImageError.corrupted` if Image I/O finds no picture of a size in it.
        init(_ data: Data, format: String) throws(ImageError) {
            guard let source = Self.source(of: data), CGImageSourceGetCount(source) > 0,
                let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any],
                let width = (properties[kCGImagePropertyPixelWidth] as? NSNumber)?.intValue,
                let height = (properties[kCGImagePropertyPixelHeight] as? NSNumber)?.intValue,
                width > 0, height > 0
            else {
                throw .corrupted(format: format, reason: "Image I/O finds no picture in it")
            }
            self.data = data
            self.format = format
            size = PixelSize(width: width, height: height)
            orientation = (properties[kCGImagePropertyOrientation] as? NSNumber)
                .flatMap { UInt8(exactly: $0.intValue) }
                .flatMap(ImageOrientation.init(rawValue:))
            let model = properties[kCGImagePropertyColorModel] as? String
            let hasAlpha = (properties[kCGImagePropertyHasAlpha] as? NSNumber)?.boolValue ?? false
            isGray = model == kCGImagePropertyColorModelGray as String && !hasAlpha
        }

        private static func source(of data: Data) -> CGImageSource? {
            CGImageSourceCreateWithData(data as CFData, [kCGImageSourceShouldCache: false] as CFDictionary)
        }

        /// Decodes at M/8 of the size, with M from 1 to 8. ``JPEGThumbnail`` reads an eighth of a JPEG, as it does on Linux.
        func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
            let eighths = request.eighths
            let scale = Double(eighths) / 8
            if eighths == 1, data.starts(with: [0xFF, 0xD8]),
                let thumbnail = data.withUnsafeBytes({ JPEGThumbnail.decode($0, eighths: eighths) })
            {
                return try thumbnail.decoded(of: size, scale: scale)
            }
            let scaled = PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
            let part = DecodedPart(of: scaled, request.region, scale: scale)
            let image = try image(longestSide: eighths < 8 ? max(scaled.width, scaled.height) : nil)
            let pixels = try draw(image, at: scaled, part)
            return DecodedImage(pixels: pixels, region: part.rect(scale: scale), storedSize: size)
        }

        /// The whole picture as it is stored, at full size or reduced while it is decoded.
        private func image(longestSide: Int?) throws(ImageError) -> CGImage {
            guard let source = Self.source(of: data) else {
                throw .corrupted(format: format, reason: "Image I/O cannot open it")
            }
            let image: CGImage?
            if let longestSide {
                let options: [CFString: Any] = [
                    kCGImageSourceCreateThumbnailFromImageAlways: true,
                    kCGImageSourceCreateThumbnailWithTransform: false,
                    kCGImageSourceThumbnailMaxPixelSize: longestSide,
                ]
                image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary)
            } else {
                image = CGImageSourceCreateImageAtIndex(source, 0, nil)
            }
            switch CGImageSourceGetStatusAtIndex(source, 0) {
            case .statusComplete: break
            case .statusIncomplete, .statusUnexpectedEOF: throw .cutShort(format)
            default: throw .corrupted(format: format, reason: "its data breaks the rules of the format")
            }
            guard let image else { throw .corrupted(format: format, reason: "Image I/O cannot decode it") }
            return image
        }

        /// Draws a part of the picture on white.
        private func draw(_ image: CGImage, at scaled: PixelSize, _ part: DecodedPart) throws(ImageError) -> PixelBuffer
        {
            // Core Graphics draws no rows of three bytes a pixel.
            let channels = isGray ? 1 : 4
            let stride = part.width * channels
            let drawn = try Data.filled(rows: part.height, stride: stride) { memory throws(ImageError) in
                let context = CGContext(
                    data: memory,
                    width: part.width,
                    height: part.height,
                    bitsPerComponent: 8,
                    bytesPerRow: stride,
                    space: isGray ? CGColorSpaceCreateDeviceGray() : CGColorSpaceCreateDeviceRGB(),
                    bitmapInfo: (isGray ? CGImageAlphaInfo.none : .noneSkipLast).rawValue
                )
                guard let context else { throw .outOfMemory(bytes: stride * part.height) }
                context.setFillColor(red: 1, green: 1, blue: 1, alpha: 1)
                context.fill(CGRect(x: 0, y: 0, width: part.width, height: part.height))
                context.interpolationQuality = .high
                // Core Graphics counts rows from the bottom.
                let area = CGRect(
                    x: -part.left,
                    y: part.height + part.top - scaled.height,
                    width: scaled.width,
                    height: scaled.height
                )
                context.draw(image, in: area)
            }
            if isGray {
                return try PixelBuffer(
                    format: .gray,
                    width: part.width,
                    height: part.height,
                    planes: [PixelBuffer.Plane(data: drawn, bytesPerRow: stride)]
                )
            }
            return try Self.withoutAlpha(drawn, size: PixelSize(width: part.width, height: part.height))
        }

        /// Copies three of four bytes of each pixel.
        ///
        /// Unsafe code: the source has 4 bytes a pixel and the target 3, by construction; the loop ends with the target.
        private static func withoutAlpha(_ data: Data, size: PixelSize) throws(ImageError) -> PixelBuffer {
            try PixelBuffer(filling: size, channels: 3) { rows, stride throws(ImageError) in
                data.withUnsafeBytes { (source: UnsafeRawBufferPointer) in
                    var from = 0
                    for to in Swift.stride(from: 0, to: stride * size.height, by: 3) {
                        rows[to] = source[from]
                        rows[to + 1] = source[from + 1]
                        rows[to + 2] = source[from + 2]
                        from += 4
                    }
                }
            }
        }
    }
#endif

#if !canImport(ImageIO)
    import CWebP
    import Foundation

    /// A WebP file whose header has been read.
    struct WebPImage: CodedImage {
        let data: Data
        let header: CWebPHeader

        var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

        var orientation: ImageOrientation? { exif.flatMap(EXIFOrientation.read) }

        /// The data of the chunk `EXIF` (RFC 9649, section 2.7.1.5). Some writers keep JPEG's signature before the data.
        private var exif: Data? {
            let bytes = ByteReader(data: data)
            var offset = 12
            while let length = bytes.uint32(at: offset + 4, isBigEndian: false) {
                if bytes.has("EXIF", at: offset) {
                    let signature = bytes.has("Exif\0\0", at: offset + 8) ? 6 : 0
                    return bytes.slice(at: offset + 8 + signature, count: length - signature)
                }
                offset += 8 + length + length % 2
            }
            return nil
        }

        /// Decodes at M/8 of the size, with M from 1 to 8, through libwebp's scaler. An animation has full size only.
        func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
            let isAnimated = header.isAnimated != 0
            let eighths = isAnimated ? 8 : request.eighths
            // The margin counts scaled pixels.
            let margin = DecodedPart.margin * (8 / Double(eighths) - 1)
            let wanted = PixelRect(
                x: request.region.x - margin,
                y: request.region.y - margin,
                width: request.region.width + 2 * margin,
                height: request.region.height + 2 * margin
            )
            // The decoder crops at even columns and rows only.
            let part = DecodedPart(of: size, isAnimated ? PixelRect(size) : wanted, columnStep: 2, rowStep: 2)
            let scaled = PixelSize(width: (part.width * eighths + 7) / 8, height: (part.height * eighths + 7) / 8)
            var region = CWebPRegion(
                left: Int32(part.left),
                top: Int32(part.top),
                width: Int32(part.width),
                height: Int32(part.height),
                scaledWidth: Int32(scaled.width),
                scaledHeight: Int32(scaled.height)
            )
            let pixels = try PixelBuffer(filling: scaled, channels: 3) { rows, stride throws(ImageError) in
                let code = data.withUnsafeBytes { cwebp_decode($0.bytes, $0.count, &region, rows, stride) }
                try WebPCodec.check(code, bytes: stride * scaled.height)
            }
            return DecodedImage(pixels: pixels, region: part.rect(), storedSize: size)
        }
    }
#endif

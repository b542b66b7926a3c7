#if !canImport(ImageIO)
    import CPNG
    import Foundation

    /// A PNG file whose header has been read.
    struct PNGImage: CodedImage {
        let data: Data
        let header: CPNGHeader

        var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

        var orientation: ImageOrientation? { exif.flatMap(EXIFOrientation.read) }

        /// The data of the chunk `eXIf` (PNG specification, third edition, section 11.3.3.7).
        private var exif: Data? {
            let bytes = ByteReader(data: data)
            var offset = 8
            while let length = bytes.uint32(at: offset, isBigEndian: true) {
                if bytes.has("eXIf", at: offset + 4) { return bytes.slice(at: offset + 8, count: length) }
                offset += 12 + length
            }
            return nil
        }

        /// Decodes at full size. An interlaced picture is decoded whole.
        func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
            let part = DecodedPart(of: size, header.isInterlaced != 0 ? PixelRect(size) : request.region)
            var region = CPNGRegion(
                left: Int32(part.left),
                top: Int32(part.top),
                width: Int32(part.width),
                height: Int32(part.height)
            )
            let pixels = try PixelBuffer(
                filling: PixelSize(width: part.width, height: part.height),
                channels: Int(header.channels)
            ) { rows, stride throws(ImageError) in
                var message = MessageBuffer(size: Int(CPNG_MESSAGE_SIZE))
                let code = data.withUnsafeBytes {
                    cpng_decode($0.bytes, $0.count, &region, rows, stride, &message.characters)
                }
                try PNGCodec.check(code, message, bytes: stride * part.height)
            }
            return DecodedImage(pixels: pixels, region: part.rect(), storedSize: size)
        }
    }
#endif

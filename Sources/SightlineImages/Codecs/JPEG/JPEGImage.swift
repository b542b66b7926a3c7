#if !canImport(ImageIO)
    import CJPEG
    import Foundation

    /// A JPEG file whose header has been read.
    struct JPEGImage: CodedImage {
        let data: Data
        let header: CJPEGHeader
        let hasPlainInks: Bool

        /// The pixels from which on reading M = 2 by ``JPEGThumbnail`` is worth while.
        private static let largePixelCount = 4_000_000

        var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

        var orientation: ImageOrientation? { exif.flatMap(EXIFOrientation.read) }

        /// The data of the APP1 segment with the signature `Exif\0\0`, before the pixels (Exif 2.32, section 4.7.2).
        private var exif: Data? {
            let bytes = ByteReader(data: data)
            var offset = 2
            while bytes.byte(at: offset) == 0xFF, let marker = bytes.byte(at: offset + 1) {
                switch marker {
                case 0xFF:  // a filling byte
                    offset += 1
                case 0x01, 0xD0...0xD7:  // no length follows
                    offset += 2
                case 0xD9, 0xDA:  // end of picture, start of pixels
                    return nil
                default:
                    guard let length = bytes.uint16(at: offset + 2, isBigEndian: true), length >= 2 else { return nil }
                    if marker == 0xE1, length >= 8, bytes.has("Exif\0\0", at: offset + 4) {
                        return bytes.slice(at: offset + 10, count: length - 8)
                    }
                    offset += 2 + length
                }
            }
            return nil
        }

        /// Decodes at M/8 of the size, with M from 1 to 8, through the cosine transform.
        ///
        /// libjpeg-turbo has vector code for M = 1, 2, 4 and 8 alone. All M are used nevertheless: a picture that is decoded larger
        /// than necessary is sampled with gaps, which cost COCO SSD a quarter of a point of mAP. ``JPEGThumbnail`` reads M = 1,
        /// and M = 2 of large pictures: of small ones it gains little, and libjpeg weighs more frequencies.
        func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
            let eighths = request.eighths
            if eighths == 1 || size.width * size.height >= Self.largePixelCount,
                let thumbnail = data.withUnsafeBytes({ JPEGThumbnail.decode($0, eighths: eighths) })
            {
                return try thumbnail.decoded(of: size, scale: Double(eighths) / 8)
            }
            let scale = Double(eighths) / 8
            let part = DecodedPart(
                of: PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8),
                request.region,
                scale: scale,
                columnStep: Int(header.horizontalSampling) * eighths,
                rowStep: Int(header.verticalSampling) * eighths
            )
            var region = CJPEGRegion(
                eighths: Int32(eighths),
                left: Int32(part.left),
                top: Int32(part.top),
                width: Int32(part.width),
                height: Int32(part.height),
                hasPlainInks: hasPlainInks ? 1 : 0
            )
            let pixels = try PixelBuffer(
                filling: PixelSize(width: part.width, height: part.height),
                channels: Int(header.channels)
            ) { rows, stride throws(ImageError) in
                var message = MessageBuffer(size: Int(CJPEG_MESSAGE_SIZE))
                let code = data.withUnsafeBytes {
                    cjpeg_decode($0.bytes, $0.count, &region, rows, stride, &message.characters)
                }
                try JPEGCodec.check(code, message, bytes: stride * part.height)
            }
            return DecodedImage(pixels: pixels, region: part.rect(scale: scale), storedSize: size)
        }
    }
#endif

#if !canImport(ImageIO)
    import CHEIF
    import Foundation

    /// A HEIC or AVIF file whose header has been read.
    struct HEIFImage: CodedImage {
        let data: Data
        let header: CHEIFHeader
        let codec: HEIFCodec

        /// The size of the upright picture.
        var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }

        /// Decodes the whole picture at full size.
        func decoded(for request: DecodingRequest) throws(ImageError) -> DecodedImage {
            DecodedImage(
                whole: try PixelBuffer(filling: size, channels: 3) { rows, stride throws(ImageError) in
                    var header = header
                    var message = MessageBuffer(size: Int(CHEIF_MESSAGE_SIZE))
                    let code = data.withUnsafeBytes {
                        cheif_decode($0.bytes, $0.count, &header, rows, stride, &message.characters)
                    }
                    try codec.check(code, message, bytes: stride * size.height)
                }
            )
        }
    }
#endif

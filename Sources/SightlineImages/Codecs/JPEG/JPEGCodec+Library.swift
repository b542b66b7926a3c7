#if !canImport(ImageIO)
    import CJPEG
    import Foundation

    /// JPEG over libjpeg-turbo.
    extension JPEGCodec {
        func open(_ data: Data) throws(ImageError) -> any CodedImage {
            var header = CJPEGHeader()
            var message = MessageBuffer(size: Int(CJPEG_MESSAGE_SIZE))
            let code = data.withUnsafeBytes { bytes in
                cjpeg_read_header(bytes.bytes, bytes.count, &header, &message.characters)
            }
            try Self.check(code, message, bytes: data.count)
            return JPEGImage(data: data, header: header, hasPlainInks: hasPlainInks)
        }

        static func check(_ code: Int32, _ message: MessageBuffer, bytes: Int) throws(ImageError) {
            switch Int(code) {
            case Int(CJPEG_OK): return
            case Int(CJPEG_CUT_SHORT): throw .cutShort("JPEG")
            case Int(CJPEG_OUT_OF_MEMORY): throw .outOfMemory(bytes: bytes)
            case Int(CJPEG_UNSUPPORTED): throw .unsupportedFormat(found: "a JPEG of a rare kind (\(message.text))")
            default: throw .corrupted(format: "JPEG", reason: message.text)
            }
        }

        func encode(_ picture: PixelBuffer, quality: Int) throws(ImageError) -> Data {
            let library = EncodingLibrary(
                format: name,
                messageSize: Int(CJPEG_MESSAGE_SIZE),
                success: Int(CJPEG_OK),
                free: { cjpeg_free($0) }
            )
            return try library.file(of: picture) { rows, stride, output in
                cjpeg_encode(
                    rows,
                    Int32(clamping: picture.width),
                    Int32(clamping: picture.height),
                    stride,
                    Int32(clamping: quality),
                    &output.bytes,
                    &output.count,
                    &output.message.characters
                )
            }
        }
    }
#endif

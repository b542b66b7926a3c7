#if !canImport(ImageIO)
    import CPNG
    import Foundation

    /// PNG over libpng.
    extension PNGCodec {
        func open(_ data: Data) throws(ImageError) -> any CodedImage {
            guard !ByteReader(data: data).has("CgBI", at: 12) else {
                throw .unsupportedFormat(found: "a PNG of a rare kind (Xcode's form for iPhones)")
            }
            var header = CPNGHeader()
            var message = MessageBuffer(size: Int(CPNG_MESSAGE_SIZE))
            let code = data.withUnsafeBytes { bytes in
                cpng_read_header(bytes.bytes, bytes.count, &header, &message.characters)
            }
            try Self.check(code, message, bytes: data.count)
            return PNGImage(data: data, header: header)
        }

        static func check(_ code: Int32, _ message: MessageBuffer, bytes: Int) throws(ImageError) {
            switch Int(code) {
            case Int(CPNG_OK): return
            case Int(CPNG_CUT_SHORT): throw .cutShort("PNG")
            case Int(CPNG_OUT_OF_MEMORY): throw .outOfMemory(bytes: bytes)
            default: throw .corrupted(format: "PNG", reason: message.text)
            }
        }

        func encode(_ picture: PixelBuffer, quality: Int) throws(ImageError) -> Data {
            let library = EncodingLibrary(
                format: name,
                messageSize: Int(CPNG_MESSAGE_SIZE),
                success: Int(CPNG_OK),
                free: { cpng_free($0) }
            )
            return try library.file(of: picture) { rows, stride, output in
                cpng_encode(
                    rows,
                    Int32(clamping: picture.width),
                    Int32(clamping: picture.height),
                    stride,
                    picture.format == .rgba ? 1 : 0,
                    &output.bytes,
                    &output.count,
                    &output.message.characters
                )
            }
        }
    }
#endif

#if !canImport(ImageIO)
    import CWebP
    import Foundation

    /// WebP over libwebp.
    extension WebPCodec {
        func open(_ data: Data) throws(ImageError) -> any CodedImage {
            var header = CWebPHeader()
            let code = data.withUnsafeBytes { bytes in cwebp_read_header(bytes.bytes, bytes.count, &header) }
            try Self.check(code, bytes: data.count)
            return WebPImage(data: data, header: header)
        }

        static func check(_ code: Int32, bytes: Int) throws(ImageError) {
            switch Int(code) {
            case Int(CWEBP_OK): return
            case Int(CWEBP_CUT_SHORT): throw .cutShort("WebP")
            case Int(CWEBP_OUT_OF_MEMORY): throw .outOfMemory(bytes: bytes)
            default: throw .corrupted(format: "WebP", reason: "its data breaks the rules of the format")
            }
        }
    }
#endif

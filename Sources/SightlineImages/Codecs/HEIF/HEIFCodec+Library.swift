#if !canImport(ImageIO)
    import CHEIF
    import Foundation

    /// HEIC and AVIF over libheif, which is loaded when the first such picture is opened.
    ///
    /// libheif turns and mirrors the picture as the file says, so that it is upright. Its EXIF orientation must not be applied again.
    extension HEIFCodec {
        func open(_ data: Data) throws(ImageError) -> any CodedImage {
            guard cheif_load() == nil else {
                throw .missingLibrary(format: name, library: "the library libheif", package: "libheif1")
            }
            var header = CHEIFHeader()
            var message = MessageBuffer(size: Int(CHEIF_MESSAGE_SIZE))
            let code = data.withUnsafeBytes { bytes in
                cheif_read_header(bytes.bytes, bytes.count, &header, &message.characters)
            }
            try check(code, message, bytes: data.count)
            return HEIFImage(data: data, header: header, codec: self)
        }

        func check(_ code: Int32, _ message: MessageBuffer, bytes: Int) throws(ImageError) {
            switch Int(code) {
            case Int(CHEIF_OK): return
            case Int(CHEIF_CUT_SHORT): throw .cutShort(name)
            case Int(CHEIF_UNSUPPORTED): throw .unsupportedFormat(found: "a rare kind of \(name) (\(message.text))")
            case Int(CHEIF_NO_DECODER):
                throw .missingLibrary(format: name, library: "a decoder of libheif", package: decoderPackage)
            case Int(CHEIF_OUT_OF_MEMORY): throw .outOfMemory(bytes: bytes)
            default: throw .corrupted(format: name, reason: message.text)
            }
        }
    }
#endif

import CPNG
import Foundation

/// PNG (third edition) over libpng: all bit depths and color types. Transparent parts show white.
struct PNGCodec: EncodingImageCodec {
    var name: String { "PNG" }
    var fileExtensions: [String] { ["png"] }

    func recognizes(_ file: ByteReader) -> Bool { file.byte(at: 0) == 0x89 && file.has("PNG\r\n\u{1A}\n", at: 1) }

    func open(_ data: Data) throws(ImageError) -> any CodedImage {
        var header = CPNGHeader()
        var message = MessageBuffer(size: Int(CPNG_MESSAGE_SIZE))
        let code = data.withUnsafeBytes { bytes in
            cpng_read_header(bytes.bytes, bytes.count, &header, &message.characters)
        }
        try Self.check(code, message)
        return PNGImage(data: data, header: header)
    }

    static func check(_ code: Int32, _ message: MessageBuffer) throws(ImageError) {
        switch Int(code) {
        case Int(CPNG_OK): return
        case Int(CPNG_CUT_SHORT): throw .cutShort("PNG")
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
                &output.bytes,
                &output.count,
                &output.message.characters
            )
        }
    }
}

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
            try PNGCodec.check(code, message)
        }
        return DecodedImage(pixels: pixels, region: part.rect(), storedSize: size)
    }
}

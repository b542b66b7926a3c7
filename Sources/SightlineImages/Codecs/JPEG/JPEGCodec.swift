import CJPEG
import Foundation

/// JPEG (ITU-T T.81) over libjpeg-turbo: baseline and progressive; gray, YCbCr, RGB, CMYK and YCCK.
///
/// Unsafe code: the encoder returns memory of its own, and `Data` takes it over together with the function that frees it.
/// `PixelBuffer` has checked that the rows have the size that the encoder reads.
struct JPEGCodec: EncodingImageCodec {
    var name: String { "JPEG" }
    var fileExtensions: [String] { ["jpg", "jpeg", "jpe", "jfif"] }

    func recognizes(_ file: ByteReader) -> Bool { file.byte(at: 0) == 0xFF && file.byte(at: 1) == 0xD8 }

    func open(_ data: Data) throws(ImageError) -> any CodedImage {
        var header = CJPEGHeader()
        var message = MessageBuffer(size: Int(CJPEG_MESSAGE_SIZE))
        let code = data.withUnsafeBytes { bytes in
            cjpeg_read_header(bytes.bytes, bytes.count, &header, &message.characters)
        }
        try Self.check(code, message)
        return JPEGImage(data: data, header: header)
    }

    static func check(_ code: Int32, _ message: MessageBuffer) throws(ImageError) {
        switch Int(code) {
        case Int(CJPEG_OK): return
        case Int(CJPEG_CUT_SHORT): throw .cutShort("JPEG")
        case Int(CJPEG_UNSUPPORTED): throw .unsupportedFormat(found: "a JPEG of a rare kind (\(message.text))")
        default: throw .corrupted(format: "JPEG", reason: message.text)
        }
    }

    func encode(_ picture: PixelBuffer, quality: Int) throws(ImageError) -> Data {
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        var message = MessageBuffer(size: Int(CJPEG_MESSAGE_SIZE))
        let plane = picture.planes[0]
        let code = plane.data.withUnsafeBytes { rows in
            cjpeg_encode(
                rows.bytes,
                Int32(clamping: picture.width),
                Int32(clamping: picture.height),
                plane.bytesPerRow,
                Int32(clamping: quality),
                &bytes,
                &count,
                &message.characters
            )
        }
        guard code == CJPEG_OK, let bytes else { throw .encodingFailed(format: name, reason: message.text) }
        return Data(
            bytesNoCopy: bytes,
            count: count,
            deallocator: .custom { memory, _ in cjpeg_free(memory.assumingMemoryBound(to: UInt8.self)) }
        )
    }
}

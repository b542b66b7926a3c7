import CJPEG
import CPNG
import CWebP
import Foundation

/// A compressed picture whose header has been read.
struct CodedImage: Sendable {
    enum Header: Sendable {
        case jpeg(CJPEGHeader)
        case png(CPNGHeader)
        case webp(CWebPHeader)
    }

    let data: Data
    let header: Header

    /// The size as stored.
    var size: PixelSize {
        switch header {
        case .jpeg(let header): PixelSize(width: Int(header.width), height: Int(header.height))
        case .png(let header): PixelSize(width: Int(header.width), height: Int(header.height))
        case .webp(let header): PixelSize(width: Int(header.width), height: Int(header.height))
        }
    }

    init(_ data: Data, format: ImageFormat) throws(ImageError) {
        self.data = data
        var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_SIZE))
        switch format {
        case .jpeg:
            var header = CJPEGHeader()
            let code = data.withUnsafeBytes { bytes in
                cjpeg_read_header(bytes.bytes, bytes.count, &header, &message)
            }
            try Self.checkJPEG(code, message)
            self.header = .jpeg(header)
        case .png:
            var header = CPNGHeader()
            let code = data.withUnsafeBytes { bytes in
                cpng_read_header(bytes.bytes, bytes.count, &header, &message)
            }
            try Self.checkPNG(code, message)
            self.header = .png(header)
        case .webp:
            var header = CWebPHeader()
            let code = data.withUnsafeBytes { bytes in cwebp_read_header(bytes.bytes, bytes.count, &header) }
            try Self.checkWebP(code)
            self.header = .webp(header)
        }
        guard size.width > 0, size.height > 0 else {
            throw .corrupted(format: format.rawValue, reason: "its size is \(size.width) × \(size.height)")
        }
    }

    static func checkJPEG(_ code: Int32, _ message: [CChar]) throws(ImageError) {
        switch Int(code) {
        case Int(CJPEG_OK): return
        case Int(CJPEG_CUT_SHORT): throw .corrupted(format: "JPEG", reason: cutShort)
        case Int(CJPEG_UNSUPPORTED): throw .unsupportedFormat(found: "a JPEG of a rare kind (\(text(message)))")
        default: throw .corrupted(format: "JPEG", reason: text(message))
        }
    }

    static func checkPNG(_ code: Int32, _ message: [CChar]) throws(ImageError) {
        switch Int(code) {
        case Int(CPNG_OK): return
        case Int(CPNG_CUT_SHORT): throw .corrupted(format: "PNG", reason: cutShort)
        default: throw .corrupted(format: "PNG", reason: text(message))
        }
    }

    static func checkWebP(_ code: Int32) throws(ImageError) {
        switch Int(code) {
        case Int(CWEBP_OK): return
        case Int(CWEBP_CUT_SHORT): throw .corrupted(format: "WebP", reason: cutShort)
        default: throw .corrupted(format: "WebP", reason: "its data breaks the rules of the format")
        }
    }

    private static let cutShort = "it is cut short"

    private static func text(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension UnsafeRawBufferPointer {
    /// The first byte, as C functions want it; nil when there is none.
    var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

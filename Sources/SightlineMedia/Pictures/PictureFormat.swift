import CJPEG
import CPNG
import Foundation
import Sightline

/// A kind of picture file that is written here.
///
/// Unsafe code: an encoder gives memory of its own, which `Data` takes over together with the function that frees it; the
/// size of the rows is checked before the encoder sees them.
public enum PictureFormat: String, Sendable, Hashable, CaseIterable {
    /// Lossless.
    case png
    /// Small; quality 90 of 100.
    case jpeg

    private static let jpegQuality = 90

    /// The format that a path's extension names: `.png`, `.jpg` or `.jpeg`, in any case.
    ///
    /// - Throws: `MediaError.unknownExtension`.
    public init(path: String) throws(MediaError) {
        let found = URL(filePath: path).pathExtension
        switch found.lowercased() {
        case "png": self = .png
        case "jpg", "jpeg": self = .jpeg
        default: throw .unknownExtension(path: path, found: found)
        }
    }

    /// The bytes of a file with this picture.
    ///
    /// - Parameter picture: in the format `rgb`, as ``Annotator`` and `VisionImage.upright()` give it.
    /// - Throws: `MediaError.encodingFailed`, for example for a JPEG with a side of more than 65,500 pixels.
    public func encode(_ picture: PixelBuffer) throws(MediaError) -> Data {
        try encode(picture, quality: Self.jpegQuality)
    }

    /// The bytes of a file with this picture; the quality of a JPEG is given in 1…100.
    package func encode(_ picture: PixelBuffer, quality: Int) throws(MediaError) -> Data {
        guard picture.format == .rgb, let plane = picture.planes.first else {
            throw .encodingFailed(format: rawValue, reason: "its pixels are \(picture.format.rawValue), expected rgb")
        }
        guard let width = Int32(exactly: picture.width), let height = Int32(exactly: picture.height) else {
            throw .encodingFailed(format: rawValue, reason: "\(picture.width) × \(picture.height) pixels are too many")
        }
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        var message = [CChar](repeating: 0, count: Int(max(CPNG_MESSAGE_SIZE, CJPEG_MESSAGE_SIZE)))
        let status = plane.data.withUnsafeBytes { (rows: UnsafeRawBufferPointer) in
            // A PixelBuffer holds at least one pixel, so that its data has an address.
            let start = rows.bindMemory(to: UInt8.self).baseAddress
            return switch self {
            case .png:
                cpng_encode(start, width, height, plane.bytesPerRow, &bytes, &count, &message)
            case .jpeg:
                cjpeg_encode(
                    start,
                    width,
                    height,
                    plane.bytesPerRow,
                    Int32(clamping: quality),
                    &bytes,
                    &count,
                    &message
                )
            }
        }
        guard status == 0, let bytes else {
            let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw .encodingFailed(format: rawValue, reason: text.isEmpty ? "code \(status)" : text)
        }
        let isPNG = self == .png
        return Data(
            bytesNoCopy: bytes,
            count: count,
            deallocator: .custom { memory, _ in
                let memory = memory.assumingMemoryBound(to: UInt8.self)
                isPNG ? cpng_free(memory) : cjpeg_free(memory)
            }
        )
    }
}

import Foundation
import Sightline
import SightlineImages

/// Drawn pictures and changed copies of them, as files.
enum ChangedPicture: String, CaseIterable, Sendable {
    case compressed, half, cropped, brighter, darker, mirrored

    /// A drawn picture as a JPEG.
    static func original(_ number: Int) throws -> Data {
        try GeneratedPicture.picture(number).upright().encoded(as: .jpeg, quality: 90)
    }

    /// A copy of a drawn picture as a JPEG.
    func copy(of number: Int) throws -> Data { try copy(of: GeneratedPicture.picture(number)) }

    /// A copy of a picture as a JPEG.
    func copy(of image: VisionImage) throws -> Data {
        let pixels = try image.upright()
        let (width, height) = (pixels.width, pixels.height)
        switch self {
        case .compressed: return try pixels.encoded(as: .jpeg, quality: 50)
        case .half:
            return try image.upright(in: PixelSize(width: width / 2, height: height / 2)).encoded(
                as: .jpeg,
                quality: 80
            )
        case .cropped:
            let (left, top) = (width / 20, height / 20)
            return try Self.jpeg(width - left, height - top) { Self.byte(pixels, $0 + left, $1 + top, $2) }
        case .brighter:
            return try Self.jpeg(width, height) { UInt8(min(Int(Self.byte(pixels, $0, $1, $2)) * 5 / 4, 255)) }
        case .darker: return try Self.jpeg(width, height) { UInt8(Int(Self.byte(pixels, $0, $1, $2)) * 7 / 10) }
        case .mirrored: return try Self.jpeg(width, height) { Self.byte(pixels, width - 1 - $0, $1, $2) }
        }
    }

    /// A picture between two drawn ones, as a JPEG.
    ///
    /// - Parameter twelfths: The share of the second one.
    static func between(_ one: Int, _ two: Int, twelfths: Int) throws -> Data {
        let size = PixelSize(width: 240, height: 180)
        let pixels = try [one, two].map { try GeneratedPicture.picture($0).upright(in: size) }
        return try jpeg(size.width, size.height) { x, y, channel in
            let bytes = pixels.map { Int(byte($0, x, y, channel)) }
            return UInt8((bytes[0] * (12 - twelfths) + bytes[1] * twelfths) / 12)
        }
    }

    private static func byte(_ pixels: PixelBuffer, _ x: Int, _ y: Int, _ channel: Int) -> UInt8 {
        let data = pixels.planes[0].data
        return data[data.startIndex + y * pixels.planes[0].bytesPerRow + 3 * x + channel]
    }

    private static func jpeg(_ width: Int, _ height: Int, _ byte: (Int, Int, Int) -> UInt8) throws -> Data {
        var bytes = Data(capacity: width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 { bytes.append(byte(x, y, channel)) }
            }
        }
        let pixels = try PixelBuffer(
            format: .rgb,
            width: width,
            height: height,
            planes: [.init(data: bytes, bytesPerRow: width * 3)]
        )
        return try pixels.encoded(as: .jpeg, quality: 85)
    }

    /// The same JPEG with a comment, which changes the file and not the pixels.
    static func commented(_ jpeg: Data) -> Data {
        jpeg.prefix(2) + Data([0xFF, 0xFE, 0, 6, 0x68, 0x65, 0x79, 0x21]) + jpeg.dropFirst(2)
    }
}

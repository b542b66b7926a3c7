import Foundation
import Sightline

extension VisionImage {
    /// A picture of one color.
    static func plain(_ size: PixelSize, red: UInt8, green: UInt8, blue: UInt8) throws -> VisionImage {
        var bytes = Data(capacity: size.width * size.height * 3)
        for _ in 0..<size.width * size.height { bytes.append(contentsOf: [red, green, blue]) }
        let plane = PixelBuffer.Plane(data: bytes, bytesPerRow: size.width * 3)
        return VisionImage(
            pixels: try PixelBuffer(format: .rgb, width: size.width, height: size.height, planes: [plane])
        )
    }

    /// A gray picture.
    static func gray(_ size: PixelSize) throws -> VisionImage {
        try plain(size, red: 128, green: 128, blue: 128)
    }
}

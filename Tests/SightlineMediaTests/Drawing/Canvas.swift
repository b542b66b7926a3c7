import Foundation
import Sightline
import SightlineMedia
import Testing

/// A colour, for comparing pixels.
struct Pixel: Hashable, CustomStringConvertible {
    let red, green, blue: UInt8

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    var description: String { "(\(red), \(green), \(blue))" }
}

/// The grey of the pictures that are drawn on; no annotation has it.
let background = Pixel(97, 98, 99)

/// A picture of one colour.
func plainPicture(width: Int, height: Int) throws -> PixelBuffer {
    let row = (0..<width).flatMap { _ in [background.red, background.green, background.blue] }
    let rows = Data((0..<height).flatMap { _ in row })
    return try PixelBuffer(
        format: .rgb,
        width: width,
        height: height,
        planes: [.init(data: rows, bytesPerRow: width * 3)]
    )
}

func plainImage(width: Int, height: Int) throws -> VisionImage {
    VisionImage(pixels: try plainPicture(width: width, height: height))
}

extension PixelBuffer {
    func pixel(_ x: Int, _ y: Int) throws -> Pixel {
        let plane = try #require(planes.first)
        let start = plane.data.startIndex + y * plane.bytesPerRow + x * 3
        try #require((0..<width).contains(x) && (0..<height).contains(y))
        return Pixel(plane.data[start], plane.data[start + 1], plane.data[start + 2])
    }

    /// How many pixels of a rectangle are not the background.
    func drawnPixels(x: Range<Int>, y: Range<Int>) throws -> Int {
        try y.reduce(0) { count, row in
            try x.reduce(count) { try $0 + (pixel($1, row) == background ? 0 : 1) }
        }
    }
}

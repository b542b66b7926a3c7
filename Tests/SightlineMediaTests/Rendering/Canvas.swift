import Foundation
import Sightline
import SightlineMedia
import Testing

/// A color, for comparing pixels.
struct Pixel: Hashable, CustomStringConvertible {
    let red, green, blue: UInt8

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    var description: String { "(\(red), \(green), \(blue))" }
}

/// The gray of the pictures; no annotation has it.
let background = Pixel(97, 98, 99)

/// A picture of one color.
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

    /// The number of pixels in a rectangle that are not the background.
    func drawnPixels(x: Range<Int>, y: Range<Int>) throws -> Int {
        try y.reduce(0) { count, row in
            try x.reduce(count) { try $0 + (pixel($1, row) == background ? 0 : 1) }
        }
    }
}

/// A picture with the boxes and names of objects.
func rendered(_ image: VisionImage, with objects: [DetectedObject]) throws -> PixelBuffer {
    var renderer = PictureRenderer()
    return try renderer.render(AnnotatedScene(objects: objects), on: image)
}

/// A picture with its labels.
func rendered(_ image: VisionImage, with labels: [Label]) throws -> PixelBuffer {
    var renderer = PictureRenderer()
    return try renderer.render(AnnotatedScene(labels: labels), on: image)
}

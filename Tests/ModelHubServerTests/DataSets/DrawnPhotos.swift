import Foundation
import SightlineImages
import SightlineTestSupport

/// Drawn pictures of labels that a model can tell apart: rectangles at any places, reddish or bluish.
enum DrawnPhotos {
    /// A PNG for a label: 0, 1 or 2.
    static func picture(_ label: Int, _ number: Int, side: Int = 64) throws -> Data {
        var state = UInt64(label * 1000 + number + 1) &* 0x9E37_79B9_7F4A_7C15
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var pixels = [UInt8](repeating: 0, count: side * side * 3)
        for index in pixels.indices { pixels[index] = UInt8(40 + random(60)) }
        for _ in 0..<6 {
            let (x, y) = (random(side), random(side))
            let (width, height) = (8 + random(side / 2), 8 + random(side / 2))
            let bright = UInt8(150 + random(100))
            for row in y..<min(y + height, side) {
                for column in x..<min(x + width, side) {
                    for channel in 0..<3 {
                        pixels[(row * side + column) * 3 + channel] = channel == label ? bright : UInt8(random(50))
                    }
                }
            }
        }
        let buffer = try PixelBuffer(
            format: .rgb,
            width: side,
            height: side,
            planes: [.init(data: Data(pixels), bytesPerRow: side * 3)]
        )
        return try buffer.encoded(as: .png)
    }

    /// A zip archive with a folder for each label.
    static func archive(_ labels: [String] = ["red", "green", "blue"], count: Int = 8) throws -> Data {
        var zip = ZipBuilder()
        for (label, name) in labels.enumerated() {
            for number in 0..<count { zip.add("\(name)/\(number).png", try picture(label, number)) }
        }
        return zip.data
    }
}

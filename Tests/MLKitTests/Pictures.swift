import Foundation
import MLKit
import Sightline
import TestSupport

/// Pictures and models that tests use.
enum Sample {
    /// A yellow disc and a dark bar, 203 × 150 pixels. The built-in models take the disc for food and the bar for a fashion good.
    static let photo = TestData.fixture("images/large.png")
    /// The built-in localizer finds nothing in it.
    static let empty = TestData.fixture("images/wide.jpg")

    /// A classifier of red, green and blue with a threshold of 0.35 in its metadata.
    static let classifier = model("classifier_uint8_metadata")

    static func model(_ name: String) -> String { TestData.fixture("models/\(name).tflite").path }

    static func image(_ url: URL = photo) throws -> MLKit.VisionImage { try VisionImage(contentsOf: url) }

    /// The picture of ``photo`` four times, in which more than five objects are found.
    static func crowd() throws -> MLKit.VisionImage {
        let (width, height) = (203, 150)
        var bytes = Data(capacity: width * height * 12)
        for row in 0..<(2 * height) {
            for column in 0..<(2 * width) {
                bytes += colour(x: Double(column % width), y: Double(row % height), Double(width), Double(height))
            }
        }
        let plane = PixelBuffer.Plane(data: bytes, bytesPerRow: 6 * width)
        return VisionImage(pixels: try PixelBuffer(format: .rgb, width: 2 * width, height: 2 * height, planes: [plane]))
    }

    private static func colour(x: Double, y: Double, _ width: Double, _ height: Double) -> [UInt8] {
        let (u, v) = (x / width, y / height)
        let disc = min(max(height / 5 - hypot(x - width * 0.3, y - height * 0.35), 0), 1)
        let bar = v > 0.5 ? min(max(1.5 - abs(x - width * 0.8) / (width * 0.04), 0), 1) : 0
        return zip(zip([40 + 190 * u, 30 + 200 * v, 220 - 120 * u - 60 * v], [240.0, 220, 40]), [20.0, 60, 120]).map {
            UInt8(($0.0 * (1 - disc) + $0.1 * disc) * (1 - bar) + $1 * bar)
        }
    }
}

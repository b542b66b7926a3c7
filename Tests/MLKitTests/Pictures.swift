import Foundation
import MLKit
import Sightline
import SightlineTestSupport

/// Pictures and models that tests use.
enum Sample {
    /// A flower and a T-shirt, 320 × 240 pixels, which the built-in models find; they are sure of the flower.
    static let photo = TestData.fixture("images/flower-and-shirt.png")
    /// The built-in localizer finds nothing in it.
    static let empty = TestData.fixture("images/wide.jpg")

    /// A classifier of red, green and blue with a threshold of 0.35 in its metadata.
    static let classifier = model("classifier_uint8_metadata")

    static func model(_ name: String) -> String { TestData.fixture("models/\(name).tflite").path }

    static func image(_ url: URL = photo) throws -> MLKit.VisionImage { try VisionImage(contentsOf: url) }

    /// Twelve T-shirts, of which the built-in localizer finds more than five.
    static func crowd() throws -> MLKit.VisionImage { try image(TestData.fixture("images/shirts.png")) }

    /// A gray picture, in which generated models find what they always find.
    static func gray(_ width: Int, _ height: Int) throws -> MLKit.VisionImage {
        let plane = PixelBuffer.Plane(data: Data(repeating: 128, count: width * height), bytesPerRow: width)
        return VisionImage(pixels: try PixelBuffer(format: .gray, width: width, height: height, planes: [plane]))
    }
}

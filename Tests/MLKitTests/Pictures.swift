import Foundation
import MLKit
import Sightline
import SightlineTestSupport

/// Pictures and models that tests use.
enum Sample {
    /// A mug and a vase with tulips, 290 × 456 pixels: the built-in models find both and are sure of their categories.
    static let photo = TestData.fixture("images/mug-and-tulips.png")
    /// The built-in detector finds nothing in it.
    static let empty = TestData.fixture("images/wide.jpg")

    /// A classifier of red, green and blue with a threshold of 0.35 in its metadata.
    static let classifier = model("classifier_uint8_metadata")

    static func model(_ name: String) -> String { TestData.fixture("models/\(name).tflite").path }

    static func image(_ url: URL = photo) throws -> MLKit.VisionImage { try VisionImage(contentsOf: url) }

    /// Twelve T-shirts, of which the built-in detector finds more than five.
    static func crowd() throws -> MLKit.VisionImage { try image(TestData.fixture("images/shirts.png")) }
}

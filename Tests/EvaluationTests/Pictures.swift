import Foundation
import Sightline
import SightlineTestSupport

/// Archives to evaluate models on, and the models.
extension Pictures {
    /// An archive with files.
    static func zip(_ files: [String: Data]) -> Data {
        var builder = ZipBuilder()
        for (name, data) in files.sorted(by: { $0.key < $1.key }) { builder.add(name, data) }
        return builder.data
    }

    /// A classifier of red, green and blue: softmax(8 × mean of each channel in −1…1).
    static let classifier = LocalModel(url: TestData.fixture("models/classifier_float_metadata.tflite"))
    /// A detector that finds the same three objects in every picture: red 90 %, blue 80 %, green 40 %.
    static let detector = LocalModel(url: TestData.fixture("models/ssd_metadata.tflite"))
}

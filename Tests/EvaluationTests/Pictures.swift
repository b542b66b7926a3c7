import Foundation
import Sightline
import SightlineTestSupport

/// Pictures to evaluate models on.
enum Pictures {
    /// A PNG of one color.
    static func png(red: UInt8 = 0, green: UInt8 = 0, blue: UInt8 = 0, width: Int = 16, height: Int = 16) throws -> Data
    {
        let rows = Data((0..<width * height).flatMap { _ in [red, green, blue] })
        let pixels = try PixelBuffer(
            format: .rgb,
            width: width,
            height: height,
            planes: [.init(data: rows, bytesPerRow: width * 3)]
        )
        return try pixels.encoded(as: .png)
    }

    /// Writes files, making the folders that they need.
    static func write(_ files: [String: Data], in folder: URL) throws {
        for (name, data) in files {
            let url = folder.appending(path: name)
            let parent = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try data.write(to: url)
        }
    }

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

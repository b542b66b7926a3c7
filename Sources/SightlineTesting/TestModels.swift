import Foundation
import Sightline

/// Small models for tests. They need no download, run in less than a millisecond, and their answers follow from the picture alone.
///
/// ```swift
/// let scene = TestScene(blocks: [.init(.red, column: 2, row: 3, columns: 4, rows: 3)])
/// let detector = try ObjectDetector(options: ObjectDetectorOptions(model: TestModels.blockDetector))
/// let objects = try await detector.objects(in: scene.image())
/// #expect(objects.map(\.frame) == scene.objects.map(\.frame))
/// ```
public enum TestModels {
    /// A detector that finds the red, green and blue blocks of a ``TestScene``, with confidences of at least 0.9.
    ///
    /// The model takes 64 × 64 pixels, letterboxed, and has the output of YOLOv8. A block is 2, 3, 4, 6 or 8 cells wide and high, a
    /// cell being a sixteenth of the picture's longer side, lies on whole cells, and has no neighbor of its color within a cell.
    public static var blockDetector: LocalModel { model("block_detector", threshold: 0.8) }

    /// A classifier that labels a picture `red`, `green` or `blue` after its mean color. (softmax of 8 times the channel means)
    ///
    /// The model takes 8 × 8 pixels.
    public static var colorClassifier: LocalModel { model("color_classifier") }

    private static func model(_ name: String, threshold: Float? = nil) -> LocalModel {
        let bundle = Bundle.module
        let url = bundle.url(forResource: name, withExtension: "tflite")
        return LocalModel(
            url: url ?? bundle.bundleURL.appending(path: "\(name).tflite"),
            confidenceThreshold: threshold
        )
    }
}

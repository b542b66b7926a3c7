import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Masks of prototypes are cut at the boxes. Tests/Fixtures/README.md describes the models.
@Suite(.hangLimit) struct PrototypeMaskTests {
    private func objects(_ model: String, _ size: PixelSize) throws -> [DetectedObject] {
        var options = ObjectDetectorOptions(model: LocalModel(url: TestData.fixture("models/\(model).tflite")))
        options.scoreThreshold = 0.1
        options.fit = .stretch
        return try ObjectDetector(options: options).objects(in: .gray(size))
    }

    @Test(arguments: ["yolo_masks", "yolo_masks_planar", "end_to_end_masks"])
    func aMaskIsTheSumOfItsPrototypesInsideItsBox(model: String) throws {
        let found = try objects(model, PixelSize(width: 200, height: 100))
        try #require(found.count == 3)
        let (a, b, d) = (found[0], found[1], found[2])
        // A reaches from 40 to 120, and its mask to the middle.
        let left = try #require(a.mask)
        #expect(left.contains(x: 41, y: 11) && left.contains(x: 99, y: 49))
        #expect(!left.contains(x: 100, y: 30) && !left.contains(x: 39, y: 30))
        #expect(left.area == 60 * 40)
        // B lies in the lower half, and its mask in the upper one.
        #expect(b.mask == nil)
        #expect(d.mask?.area == 40 * 20)
    }

    @Test(arguments: ["yolo_masks", "yolo_masks_planar", "end_to_end_masks"])
    func nothingOfAMaskIsUnused(model: String) throws {
        let url = TestData.fixture("models/\(model).tflite")
        let inspection = try ModelInspection(of: LocalModel(url: url))
        #expect(inspection.unused == nil)
    }
}

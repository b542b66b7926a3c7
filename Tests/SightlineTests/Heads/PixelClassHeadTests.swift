import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Connected places of a class are objects with masks. Tests/Fixtures/README.md describes the model.
@Suite(.hangLimit) struct PixelClassHeadTests {
    private func objects(
        _ model: String,
        labels: String? = "background\nred\ngreen\nblue\n",
        size: PixelSize = PixelSize(width: 64, height: 64),
        change: (inout ObjectDetectorOptions) -> Void = { _ in }
    ) throws -> [DetectedObject] {
        try withTemporaryFolder { folder in
            let copy = folder.appending(path: "model.tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/\(model).tflite"), to: copy)
            let list = folder.appending(path: "labels.txt")
            if let labels { try Data(labels.utf8).write(to: list) }
            var options = ObjectDetectorOptions(model: LocalModel(url: copy, labels: labels == nil ? nil : list))
            change(&options)
            return try ObjectDetector(options: options).objects(in: .gray(size))
        }
    }

    private func sorted(_ objects: [DetectedObject]) -> [DetectedObject] { objects.sorted { $0.frame.y < $1.frame.y } }

    @Test(arguments: ["pixel_classes", "pixel_scores"])
    func eachConnectedPartIsAnObject(model: String) throws {
        let found = sorted(try objects(model) { $0.scoreThreshold = 0.1 })
        #expect(
            found.map(\.frame) == [
                PixelRect(x: 4, y: 4, width: 16, height: 12), PixelRect(x: 20, y: 16, width: 16, height: 8),
                PixelRect(x: 30, y: 32, width: 28, height: 28),
            ]
        )
        #expect(found.map { $0.labels.first?.text } == ["red", "red", "blue"])
        #expect(found.map(\.classIndex) == [0, 0, 2])
    }

    @Test func aMaskHasThePlacesOfItsPartAlone() throws {
        let found = sorted(try objects("pixel_classes"))
        let ring = try #require(found.last?.mask)
        #expect(found.map { $0.mask?.area } == [16 * 12, 16 * 8, 28 * 28 - 12 * 12])
        #expect(ring.contains(x: 30, y: 32))
        #expect(!ring.contains(x: 44, y: 46))
    }

    @Test func aMaskFollowsThePictureSizeAndItsLetterbox() throws {
        let found = sorted(
            try objects("pixel_classes", size: PixelSize(width: 256, height: 128)) {
                $0.fit = .letterbox(fill: 0, anchor: .center)
            }
        )
        // The picture fills rows 16 to 47 of the input, and four of its pixels lie along a place.
        let (second, ring) = (try #require(found.first), try #require(found.last))
        #expect(second.frame == PixelRect(x: 80, y: 0, width: 64, height: 32))
        // Interpolation rounds the corners off.
        #expect((64 * 32 - 8...64 * 32).contains(second.mask?.area ?? 0))
        #expect(ring.frame == PixelRect(x: 120, y: 64, width: 112, height: 64))
        let mask = try #require(ring.mask)
        #expect(mask.contains(x: 121, y: 70))
        #expect(!mask.contains(x: 176, y: 120))
        #expect(!mask.contains(x: 119, y: 70))
    }

    @Test func confidenceIsTheMeanShareOfTheClass() throws {
        let found = try objects("pixel_scores") { $0.scoreThreshold = 0.1 }
        let share = Float(exp(2.0) / (exp(2.0) + 3))
        #expect(found.allSatisfy { abs($0.objectConfidence - share) < 1e-5 })
        #expect(try objects("pixel_classes").allSatisfy { $0.objectConfidence == 1 })
    }

    @Test func withoutLabelsClass0IsTheBackground() throws {
        #expect(
            try objects("pixel_classes", labels: nil).map(\.classIndex).sorted { ($0 ?? 0) < ($1 ?? 0) } == [0, 0, 2]
        )
    }

    @Test func withoutABackgroundInTheLabelsEachClassIsAnObject() throws {
        let found = try objects("pixel_classes", labels: "road\nred\ngreen\nblue\n")
        #expect(Set(found.compactMap { $0.labels.first?.text }) == ["road", "red", "blue"])
    }

    @Test func slicesHaveMasksInThePicture() throws {
        let found = try objects("pixel_classes", size: PixelSize(width: 128, height: 128)) {
            $0.slices = PictureSlices(pixels: 64)
        }
        for object in found {
            let mask = try #require(object.mask)
            #expect(mask.bounds.intersection(object.frame) == object.frame)
        }
    }
}

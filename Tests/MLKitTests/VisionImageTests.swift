import Foundation
import MLKit
import SightlineTestSupport
import Testing

import struct Sightline.PixelBuffer

/// Pictures as ML Kit's names take them.
@Suite(.hangLimit)
struct VisionImageTests {
    private static func frame(_ image: any MLKitCompatibleImage) throws -> CGRect? {
        let options = ObjectDetectorOptions()
        options.detectorMode = .singleImage
        return try ObjectDetector.objectDetector(options: options).results(in: image).first?.frame
    }

    @Test func theOrientationIsThatOfTheFile() throws {
        for value in 1...8 {
            let image = try VisionImage(contentsOf: TestData.fixture("images/exif-\(value).png"))
            #expect(Int(image.orientation.rawValue) == value)
            #expect(
                Int(
                    try #require(MLImage(contentsOf: TestData.fixture("images/exif-\(value).png"))).orientation.rawValue
                ) == value
            )
        }
    }

    @Test func filesBytesAndMLImagesGiveTheSame() throws {
        let bytes = try Data(contentsOf: Sample.photo)
        let expected = try #require(try Self.frame(Sample.image()))
        #expect(try Self.frame(VisionImage(data: bytes)) == expected)
        #expect(try Self.frame(#require(MLImage(data: bytes))) == expected)
        #expect(try Self.frame(#require(MLImage(contentsOf: Sample.photo))) == expected)
    }

    @Test func framesAreInTheUprightPicture() throws {
        let upright = try #require(try Self.frame(VisionImage(contentsOf: TestData.fixture("images/exif-1.png"))))
        for value in 2...8 {
            // The stored pixels differ; upright, it is the same picture.
            let frame = try #require(
                try Self.frame(VisionImage(contentsOf: TestData.fixture("images/exif-\(value).png")))
            )
            #expect(abs(frame.midX - upright.midX) < 3 && abs(frame.midY - upright.midY) < 3)
        }
    }

    @Test func anOrientationThatIsSetCounts() throws {
        let disc = TestData.fixture("images/large.png")
        let upright = try #require(try Self.frame(Sample.image(disc)))
        let turned = try Sample.image(disc)
        turned.orientation = .down
        let frame = try #require(try Self.frame(turned))
        // The disc on the left at the top is on the right at the bottom.
        #expect(upright.midX < 100 && upright.midY < 75)
        #expect(frame.midX > 100 && frame.midY > 75)
        let image = try #require(MLImage(contentsOf: disc))
        image.orientation = .down
        #expect(try Self.frame(image) == frame)
    }

    @Test func aPictureMayChangeAfterTheCall() async throws {
        let options = ObjectDetectorOptions()
        options.detectorMode = .singleImage
        let detector = ObjectDetector.objectDetector(options: options)
        let expected = try #require(try detector.results(in: Sample.image()).first?.frame)
        let image = try Sample.image()
        let frame: CGRect? = await withCheckedContinuation { continuation in
            detector.process(image) { objects, _ in continuation.resume(returning: objects?.first?.frame) }
            image.orientation = .down
        }
        #expect(frame == expected)
    }

    @Test func sizesAreThoseOfTheUprightPicture() throws {
        // Its rows are stored upright in one file, and on their side in the other.
        for name in ["exif-1", "exif-6"] {
            let image = try #require(MLImage(contentsOf: TestData.fixture("images/\(name).png")))
            #expect((image.width, image.height) == (53, 37))
            image.orientation = .left
            #expect((image.width, image.height) == (53, 37))
        }
    }

    @Test func anMLImageSaysWhatItWasMadeOf() throws {
        let image = try #require(MLImage(contentsOf: Sample.photo))
        #expect(image.imageSourceType == .image && image.imageSourceType.rawValue == 0)
        let plane = PixelBuffer.Plane(data: Data([0]), bytesPerRow: 1)
        let pixels = try PixelBuffer(format: .gray, width: 1, height: 1, planes: [plane])
        #expect(MLImage(pixels: pixels).imageSourceType == .pixelBuffer)
    }

    @Test func aVisionImageMayBePassedToAnotherTask() async throws {
        let image = try Sample.image()
        let expected = try Self.frame(Sample.image())
        let found = try await Task.detached { try Self.frame(image) }.value
        #expect(found == expected && expected != nil)
    }
}

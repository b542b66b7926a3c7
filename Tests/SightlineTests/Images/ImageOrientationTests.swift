import Foundation
import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct ImageOrientationTests {
    @Test(arguments: 1...8) func everyOrientationShowsTheSameUprightPicture(value: Int) throws {
        #expect(try Picture(fixture: "exif-\(value).png") == Picture(fixture: "scene.png"))
    }

    @Test(arguments: 1...8) func theSizeIsThatOfTheUprightPicture(value: Int) throws {
        let image = try VisionImage(fixture: "exif-\(value).png")
        #expect(image.orientation.rawValue == UInt8(value))
        #expect(image.size == PixelSize(width: 53, height: 37))
    }

    @Test(arguments: ["exif-6.jpg", "exif-8.jpg", "exif-6.webp", "exif-8.webp"])
    func everyContainerCarriesTheOrientation(name: String) throws {
        let difference = try Picture(fixture: name).distance(to: Picture(fixture: "scene.png"))
        #expect(difference.mean < ImageFormatTests.jpegMean)
    }

    @Test func anExplicitOrientationOverridesEXIF() throws {
        let image = try VisionImage(fixture: "exif-6.jpg", orientation: .up)
        #expect(image.orientation == .up)
        #expect(image.size == PixelSize(width: 37, height: 53))
    }

    @Test func aPictureWithoutEXIFIsUpright() throws {
        #expect(try VisionImage(fixture: "jpeg-420.jpg").orientation == .up)
    }

    /// Tensors agree exactly, since no sum is rounded before the last.
    @Test(arguments: 2...8) func tensorsDoNotDependOnTheOrientation(value: Int) throws {
        let region = PixelRect(x: 3.25, y: 5.5, width: 40.5, height: 21.75)
        let placement = Placement(
            region,
            into: PixelSize(width: 24, height: 32),
            fit: .letterbox(fill: 7, anchor: .center)
        )
        let upright = try VisionImage(fixture: "exif-1.png").decoded(for: [placement]).tensor(placement)
        let turned = try VisionImage(fixture: "exif-\(value).png").decoded(for: [placement]).tensor(placement)
        #expect(zip(upright, turned).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test func damagedEXIFCountsAsNone() throws {
        let good = try Data(contentsOf: TestData.fixture("images/exif-6.jpg"))
        let start = try #require(good.range(of: Data("MM\0*".utf8)))
        for (offset, byte) in [(0, 0x58), (4, 0xFF), (9, 0), (13, 9), (19, 9), (19, 0)] {
            var bad = good
            bad[start.lowerBound + offset] = UInt8(byte)
            #expect(try VisionImage(data: bad).orientation == .up, "byte \(offset) = \(byte)")
        }
    }

    @Test func theCameraHelperGivesTheGuidesTable() {
        #expect(ImageOrientation(deviceOrientation: .portrait, cameraPosition: .back) == .right)
        #expect(ImageOrientation(deviceOrientation: .portrait, cameraPosition: .front) == .leftMirrored)
        #expect(ImageOrientation(deviceOrientation: .landscapeLeft, cameraPosition: .back) == .up)
        #expect(ImageOrientation(deviceOrientation: .landscapeLeft, cameraPosition: .front) == .downMirrored)
        #expect(ImageOrientation(deviceOrientation: .portraitUpsideDown, cameraPosition: .back) == .left)
        #expect(ImageOrientation(deviceOrientation: .portraitUpsideDown, cameraPosition: .front) == .rightMirrored)
        #expect(ImageOrientation(deviceOrientation: .landscapeRight, cameraPosition: .back) == .down)
        #expect(ImageOrientation(deviceOrientation: .landscapeRight, cameraPosition: .front) == .upMirrored)
        #expect(ImageOrientation(deviceOrientation: .faceUp, cameraPosition: .back) == .up)
    }
}

import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Masks in COCO's form are those that pycocotools writes.
@Suite struct COCOMaskTests {
    private func mask(_ rows: [String], x: Int = 0, y: Int = 0) throws -> ObjectMask {
        let pixels = rows.map(Array.init)
        return try #require(
            ObjectMask(x: x, y: y, width: pixels[0].count, height: pixels.count) { pixels[$1 - y][$0 - x] == "#" }
        )
    }

    @Test func runsGoDownColumns() throws {
        let found = COCOMask(try mask([".#", "##"]), in: PixelSize(width: 2, height: 2))
        #expect(found.counts == [1, 3])
    }

    @Test func aMaskLiesInTheWholePicture() throws {
        let found = COCOMask(try mask(["##"], x: 1, y: 2), in: PixelSize(width: 4, height: 5))
        #expect(found.counts == [7, 1, 4, 1, 7])
        #expect(found.counts.reduce(0, +) == 20)
    }

    @Test func pixelsBeyondThePictureAreDropped() throws {
        let found = COCOMask(try mask(["###", "###"], x: -1, y: -1), in: PixelSize(width: 3, height: 2))
        #expect(found.counts == [0, 1, 1, 1, 3])
    }

    /// The texts are those of `pycocotools.mask.encode` (2.0.11) for the same pixels.
    @Test(
        arguments: [
            (PixelSize(width: 4, height: 5), 1, 2, 2, 1, "71403"),
            (PixelSize(width: 640, height: 480), 100, 50, 3, 200, "bm^1X6h8000^ek7"),
            (PixelSize(width: 3, height: 3), 0, 0, 3, 3, "09"),
            (PixelSize(width: 100, height: 1000), 99, 999, 1, 1, "odQ31"),
        ]
    )
    func theTextIsThatOfPycocotools(size: PixelSize, x: Int, y: Int, width: Int, height: Int, text: String) throws {
        let mask = try #require(ObjectMask(x: x, y: y, width: width, height: height) { _, _ in true })
        #expect(COCOMask(mask, in: size).text == text)
    }
}

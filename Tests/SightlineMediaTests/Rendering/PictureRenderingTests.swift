import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Objects and labels on pictures.
@Suite(.hangLimit)
struct PictureRenderingTests {
    /// The color of label index 1.
    private let blue = Pixel(86, 180, 233)

    private func object(_ x: Double, _ y: Double, _ width: Double, _ height: Double, text: String = "cat")
        -> DetectedObject
    {
        DetectedObject(
            frame: PixelRect(x: x, y: y, width: width, height: height),
            confidence: 0.87,
            labels: [Label(text: text, index: 1, confidence: 0.87)]
        )
    }

    @Test func drawsTheBoxInItsColorAtTheFrameAndNothingInsideOrFarOutside() throws {
        let image = try plainImage(width: 320, height: 240)
        let picture = try rendered(image, with: [object(100, 80, 120, 90)])
        for (x, y) in [(100, 80), (219, 80), (100, 169), (219, 169), (150, 169), (100, 120), (219, 120)] {
            #expect(try picture.pixel(x, y) == blue, "at \(x), \(y)")
        }
        #expect(try picture.drawnPixels(x: 105..<215, y: 85..<165) == 0)
        #expect(try picture.drawnPixels(x: 0..<100, y: 0..<240) == 0)
        #expect(try picture.drawnPixels(x: 220..<320, y: 0..<240) == 0)
        #expect(try picture.drawnPixels(x: 0..<320, y: 170..<240) == 0)
    }

    @Test func writesTheLabelOnATagAboveTheBox() throws {
        let image = try plainImage(width: 320, height: 240)
        let picture = try rendered(image, with: [object(100, 80, 120, 90)])
        #expect(try picture.pixel(101, 78) == blue)
        let black = try (60..<80).flatMap { y in try (100..<160).map { try picture.pixel($0, y) } }
            .filter { $0 == Pixel(0, 0, 0) }
        #expect(!black.isEmpty, "the tag has text in a contrasting color")
        #expect(try picture.drawnPixels(x: 0..<320, y: 0..<55) == 0)
    }

    @Test func keepsTheTagInsideThePictureWhenTheBoxIsAtItsEdge() throws {
        let image = try plainImage(width: 320, height: 240)
        let reference = try rendered(image, with: [object(100, 80, 120, 90)])
        let width = try (100..<320).prefix { try reference.pixel($0, 70) != background }.count
        let picture = try rendered(image, with: [object(310, -5, 40, 20)])
        #expect(try picture.pixel(319 - width + 1, 1) == blue)
        #expect(try picture.pixel(319 - width - 1, 1) == background)
    }

    @Test func clipsAFrameThatSticksOutToThePicture() throws {
        let image = try plainImage(width: 100, height: 100)
        let picture = try rendered(image, with: [object(-50, 40, 300, 300)])
        #expect(try picture.pixel(0, 90) == blue)
        #expect(try picture.pixel(99, 90) == blue)
        #expect(try picture.pixel(50, 99) == blue)
    }

    @Test(arguments: [
        PixelRect(x: 500, y: 0, width: 10, height: 10),
        PixelRect(x: 0, y: 0, width: 0, height: 10),
        PixelRect(x: .nan, y: 0, width: 10, height: 10),
        PixelRect(x: -.infinity, y: 0, width: .infinity, height: 10),
        PixelRect(x: 1e300, y: 1e300, width: 1e300, height: 1e300),
    ])
    func leavesOutAFrameThatIsNowhereInThePicture(frame: PixelRect) throws {
        let image = try plainImage(width: 60, height: 60)
        let object = DetectedObject(frame: frame, confidence: 0.5, labels: [])
        let picture = try rendered(image, with: [object])
        #expect(try picture.drawnPixels(x: 0..<60, y: 0..<60) == 0)
    }

    @Test func drawsThickerLinesAndLargerTextOnLargerPictures() throws {
        func lineWidth(_ side: Int) throws -> Int {
            let third = Double(side / 3)
            let image = try plainImage(width: side, height: side)
            let picture = try rendered(image, with: [object(third, third, third, third)])
            return try (side / 3..<side).prefix { try picture.pixel($0, side / 2) != background }.count
        }
        let (small, large) = (try lineWidth(120), try lineWidth(1500))
        #expect(small >= 1)
        #expect(large >= 3 * small)
    }

    @Test func drawsTheSameAcrossTilesAsInOne() throws {
        // 1100 pixels are more than one tile wide; the tag lies across the border at 1024.
        let wide = try rendered(
            plainImage(width: 1100, height: 300),
            with: [object(1000, 100, 60, 60, text: "wombat")]
        )
        let narrow = try rendered(
            plainImage(width: 500, height: 300),
            with: [object(400, 100, 60, 60, text: "wombat")]
        )
        for y in 0..<300 {
            for x in 390..<480 {
                #expect(try wide.pixel(x + 600, y) == narrow.pixel(x, y), "at \(x), \(y)")
            }
        }
    }

    @Test(arguments: [(1, 1), (30_000, 1), (1, 30_000), (3, 2), (40_000, 8)])
    func drawsTheBoxOnAPictureThatHasNoRoomForText(width: Int, height: Int) throws {
        let image = try plainImage(width: width, height: height)
        let picture = try rendered(image, with: [object(0, 0, Double(width), Double(height))])
        #expect(picture.size == PixelSize(width: width, height: height))
        #expect(try picture.pixel(0, 0) == blue)
        #expect(try picture.pixel(width - 1, height - 1) == blue)
    }

    @Test func shortensTextThatIsWiderThanThePicture() throws {
        let image = try plainImage(width: 80, height: 80)
        let text = String(repeating: "very long ", count: 10_000) + "\0\n\u{1F408}"
        let picture = try rendered(image, with: [object(10, 40, 30, 30, text: text)])
        #expect(try picture.drawnPixels(x: 0..<80, y: 0..<40) > 80)
    }

    @Test func givesEachTagItsOwnPlaceWhereBoxesShareACorner() throws {
        let image = try plainImage(width: 320, height: 240)
        let one = try rendered(image, with: [object(50, 100, 200, 100)])
        let two = try rendered(image, with: [object(50, 100, 200, 100), object(50, 100, 200, 100)])
        let everywhere = (0..<320, 0..<240)
        let inkOfOne = try one.drawnPixels(x: everywhere.0, y: everywhere.1)
        #expect(try two.drawnPixels(x: everywhere.0, y: everywhere.1) > inkOfOne + 200)
    }

    @Test func showsTheIdentityOfTrackedObjectsByColor() throws {
        let image = try plainImage(width: 100, height: 100)
        var first = object(0, 0, 50, 100)
        var second = object(50, 0, 50, 100)
        first.track = Track(state: .confirmed(id: 3), firstSeen: .zero, lastSeen: .zero)
        second.track = Track(state: .confirmed(id: 4), firstSeen: .zero, lastSeen: .zero)
        let picture = try rendered(image, with: [first, second])
        #expect(try picture.pixel(0, 99) != picture.pixel(99, 99))
    }

    @Test(arguments: [Int.min, -1, 0, Int.max]) func acceptsAnyIdentity(index: Int) throws {
        let image = try plainImage(width: 50, height: 50)
        let labels = [Label(text: "x", index: index, confidence: .nan)]
        let picture = try rendered(
            image,
            with: [DetectedObject(frame: PixelRect(x: 0, y: 0, width: 50, height: 50), confidence: 1, labels: labels)]
        )
        #expect(try picture.pixel(0, 49) != background)
    }

    @Test func listsLabelsFromTheTopLeftCornerAsManyAsThereIsRoomFor() throws {
        let labels = (0..<50).map { Label(text: "label \($0)", index: $0, confidence: 0.5) }
        let image = try plainImage(width: 300, height: 200)
        let three = try rendered(image, with: Array(labels.prefix(3)))
        let all = try rendered(image, with: labels)
        #expect(try three.drawnPixels(x: 0..<150, y: 0..<80) > 2000)
        #expect(try three.drawnPixels(x: 0..<300, y: 100..<200) == 0)
        #expect(try three.drawnPixels(x: 200..<300, y: 0..<200) == 0)
        #expect(try all.drawnPixels(x: 0..<150, y: 100..<200) > 2000)
    }

    @Test func leavesTheCallersPixelsAlone() throws {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 48 * 48 * 3, alignment: 1)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 7, count: 48 * 48 * 3)
        let data = Data(bytesNoCopy: bytes, count: 48 * 48 * 3, deallocator: .none)
        let buffer = try PixelBuffer(
            format: .rgb,
            width: 48,
            height: 48,
            planes: [.init(data: data, bytesPerRow: 48 * 3)]
        )
        let drawn = try rendered(VisionImage(pixels: buffer), with: [object(0, 0, 48, 48)])
        #expect(try drawn.pixel(0, 47) == blue)
        #expect(UnsafeRawBufferPointer(start: bytes, count: 48 * 48 * 3).allSatisfy { $0 == 7 })
    }

    @Test func drawsInTheUprightFrame() throws {
        let image = VisionImage(pixels: try plainPicture(width: 200, height: 100), orientation: .right)
        let picture = try rendered(image, with: [object(20, 150, 60, 40)])
        #expect(picture.size == PixelSize(width: 100, height: 200))
        #expect(try picture.pixel(20, 189) == blue)
    }
}

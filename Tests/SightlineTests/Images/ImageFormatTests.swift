import Foundation
import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct ImageFormatTests {
    /// The change that JPEG at quality 95 may make, on average: chroma at half size blurs the edges of small shapes.
    static let jpegMean = 4.0
    /// The change that lossy WebP at quality 95 may make.
    static let webpMean = 4.0

    @Test(arguments: [
        "jpeg-444.jpg", "jpeg-422.jpg", "jpeg-420.jpg", "jpeg-progressive.jpg", "jpeg-restart.jpg", "jpeg-cmyk.jpg",
        "jpeg-cmyk-unmarked.jpg", "jpeg-ycck.jpg",
    ])
    func jpegShowsTheScene(name: String) throws {
        let difference = try Picture(fixture: name).distance(to: Picture(fixture: "scene.png"))
        #expect(difference.mean < Self.jpegMean, "\(difference)")
    }

    @Test func grayJPEGShowsTheSceneInGray() throws {
        let difference = try Picture(fixture: "jpeg-gray.jpg").distance(to: Picture(fixture: "scene-gray.png"))
        #expect(difference.mean < Self.jpegMean)
    }

    @Test(arguments: [
        ("png-rgb-16.png", "scene.png"), ("png-interlaced.png", "scene.png"), ("png-gray-16.png", "scene-gray.png"),
        ("png-palette-1.png", "png-palette-1-rgb.png"), ("png-palette-2.png", "png-palette-2-rgb.png"),
        ("png-palette-4.png", "png-palette-4-rgb.png"), ("png-palette-8.png", "png-palette-8-rgb.png"),
        ("png-rgba.png", "alpha-on-white.png"), ("png-rgba-16.png", "alpha-on-white.png"),
        ("png-rgba-interlaced.png", "alpha-on-white.png"), ("webp-lossless.webp", "scene.png"),
        ("webp-animated.webp", "scene.png"),
    ])
    func losslessPicturesAreExact(name: String, truth: String) throws {
        let picture = try Picture(fixture: name)
        // Mixing with white rounds once more where alpha has 16 bits.
        let tolerance = name.contains("rgba-16") ? 1 : 0
        #expect(picture.distance(to: try Picture(fixture: truth)).greatest <= tolerance)
    }

    @Test(arguments: [1, 2, 4]) func fewGrayLevelsSpanBlackToWhite(depth: Int) throws {
        let picture = try Picture(fixture: "png-gray-\(depth).png")
        let truth = try Picture(fixture: "scene-gray.png")
        let steps = (1 << depth) - 1
        let expected = truth.bytes.map { (Double($0) / 255 * Double(steps)).rounded() * 255 / Double(steps) }
        let distances = zip(picture.bytes, expected).map { abs(Double($0) - $1) }
        // Half a step where the generator rounded a tie the other way.
        #expect((distances.max() ?? 256) <= 255 / Double(steps) && distances.reduce(0, +) / Double(distances.count) < 1)
    }

    @Test func grayWithAlphaFadesToWhite() throws {
        let picture = try Picture(fixture: "png-gray-alpha.png")
        let gray = try Picture(fixture: "scene-gray.png")
        #expect(picture.pixel(0, 10) == [255, 255, 255])
        #expect(picture.pixel(52, 10) == gray.pixel(52, 10))
    }

    @Test func transparentPaletteEntriesShowWhite() throws {
        let picture = try Picture(fixture: "png-palette-transparent.png")
        #expect(picture.pixel(1, 1) == [255, 0, 0])
        #expect(picture.pixel(5, 1) == [255, 255, 255])
        #expect(picture.pixel(9, 1) == [127, 127, 255])
        #expect(picture.pixel(13, 1) == [10, 20, 30])
    }

    @Test func aKeyedColorShowsWhite() throws {
        let picture = try Picture(fixture: "png-rgb-key.png")
        #expect(picture.pixel(1, 1) == [255, 0, 0])
        #expect(picture.pixel(5, 1) == [255, 255, 255])
        #expect(picture.pixel(9, 1) == [0, 0, 255])
    }

    @Test(arguments: [("webp-lossy.webp", "scene.png"), ("webp-lossy-alpha.webp", "alpha-on-white.png")])
    func lossyWebPShowsTheScene(name: String, truth: String) throws {
        let difference = try Picture(fixture: name).distance(to: Picture(fixture: truth))
        #expect(difference.mean < Self.webpMean)
    }

    @Test func webPWithAlphaIsCompositedOnWhite() throws {
        let difference = try Picture(fixture: "webp-alpha.webp").distance(to: Picture(fixture: "alpha-on-white.png"))
        // The decoder multiplies by alpha with its own rounding.
        #expect(difference.greatest <= 2)
    }

    @Test(arguments: ["jpeg-1x1.jpg", "png-1x1.png"]) func aPictureCanBeOnePixel(name: String) throws {
        let picture = try Picture(fixture: name)
        #expect(picture.size == PixelSize(width: 1, height: 1))
        let expected: [UInt8] = name.hasSuffix("png") ? [1, 2, 3] : [200, 100, 50]
        #expect(zip(picture.bytes, expected).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
    }

    @Test func theSizeIsKnownFromTheHeaderAlone() throws {
        let whole = try Data(contentsOf: TestData.fixture("images/large-420.jpg"))
        let header = try VisionImage(data: whole.prefix(700))
        #expect(header.size == PixelSize(width: 203, height: 150))
    }

    @Test func dataMayBeASliceOfOtherData() throws {
        let file = try Data(contentsOf: TestData.fixture("images/scene.png"))
        let padded = Data([1, 2, 3]) + file + Data([4])
        let picture = try Picture(VisionImage(data: padded[3..<(3 + file.count)]))
        #expect(try picture == Picture(fixture: "scene.png"))
    }
}

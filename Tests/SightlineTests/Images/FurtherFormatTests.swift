import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// GIF, BMP, TIFF, HEIC and AVIF.
@Suite(.hangLimit)
struct FurtherFormatTests {
    /// The mean distance that lossy compression of the fixtures causes.
    private static let lossyMean = 4.0

    @Test(arguments: [
        ("gif.gif", "png-palette-8-rgb.png"), ("gif-interlaced.gif", "png-palette-8-rgb.png"),
        ("gif-animated.gif", "png-palette-8-rgb.png"),
        ("bmp.bmp", "scene.png"), ("bmp-core.bmp", "scene.png"), ("bmp-top-down.bmp", "scene.png"),
        ("bmp-32.bmp", "scene.png"), ("bmp-alpha.bmp", "alpha-on-white.png"),
        ("bmp-palette-1.bmp", "png-palette-1-rgb.png"), ("bmp-palette-4.bmp", "png-palette-4-rgb.png"),
        ("bmp-palette-8.bmp", "png-palette-8-rgb.png"), ("bmp-runs-4.bmp", "png-palette-4-rgb.png"),
        ("bmp-runs-8.bmp", "png-palette-8-rgb.png"),
        ("tiff.tif", "scene.png"), ("tiff-lzw.tif", "scene.png"), ("tiff-deflate.tif", "scene.png"),
        ("tiff-packbits.tif", "scene.png"), ("tiff-predictor.tif", "scene.png"), ("tiff-tiles.tif", "scene.png"),
        ("tiff-planes.tif", "scene.png"), ("tiff-gray.tif", "scene-gray.png"), ("tiff-gray-16.tif", "scene-gray.png"),
        ("tiff-gray-16-predictor.tif", "scene-gray.png"), ("tiff-1.tif", "png-gray-1.png"),
        ("tiff-palette.tif", "png-palette-8-rgb.png"), ("tiff-palette-8.tif", "png-palette-8-rgb.png"),
        ("tiff-alpha.tif", "alpha-on-white.png"),
        ("tiff-cmyk.tif", "scene.png"), ("exif-6.tif", "scene.png"),
    ])
    func losslessPicturesAreExact(name: String, truth: String) throws {
        #expect(try Picture(fixture: name).distance(to: Picture(fixture: truth)).greatest == 0)
    }

    @Test(arguments: [("bmp-565.bmp", 4), ("bmp-555.bmp", 4)])
    func fewBitsPerColorAreNearlyTheScene(name: String, tolerance: Int) throws {
        let difference = try Picture(fixture: name).distance(to: Picture(fixture: "scene.png"))
        #expect(difference.greatest <= 2 * tolerance && difference.mean <= Double(tolerance))
    }

    /// In a file of its own, the same JPEG would hold the absence of inks.
    @Test func inksWithinTIFFAreNotInverted() throws {
        let difference = try Picture(fixture: "tiff-jpeg-cmyk.tif").distance(to: Picture(fixture: "scene.png"))
        #expect(difference.mean < Self.lossyMean)
    }

    @Test(arguments: ["tiff-jpeg.tif", "tiff-ycbcr.tif", "large.heic", "large.avif", "exif-6.avif"])
    func lossyPicturesShowTheScene(name: String) throws {
        let difference = try Picture(fixture: name).distance(to: Picture(fixture: "large.png"))
        #expect(difference.mean < Self.lossyMean)
    }

    @Test func anAVIFWithAlphaIsCompositedOnWhite() throws {
        let difference = try Picture(fixture: "alpha.avif").distance(to: Picture(fixture: "alpha-on-white.png"))
        #expect(difference.mean < 2)
    }

    @Test func theTurnOfAnAVIFIsAppliedOnce() throws {
        let image = try VisionImage(fixture: "exif-6.avif")
        #expect(image.orientation == .up)
        #expect(image.size == PixelSize(width: 203, height: 150))
    }

    @Test func transparentPixelsOfAGIFShowWhite() throws {
        let picture = try Picture(fixture: "gif-transparent.gif")
        #expect(picture.pixel(1, 1) == [255, 0, 0])
        #expect(picture.pixel(5, 1) == [255, 255, 255])
        #expect(picture.pixel(9, 1) == [0, 0, 255])
        #expect(picture.pixel(13, 1) == [10, 20, 30])
    }

    @Test func theFrameOfAGIFLiesOnAWhiteCanvas() throws {
        var file = try Data(contentsOf: TestData.fixture("images/gif-transparent.gif"))
        // The logical screen becomes 20 × 12, and the frame moves by 3 and 2.
        file.replaceSubrange(6..<10, with: [20, 0, 12, 0])
        let frame = try #require(file.range(of: Data([0x2C, 0, 0, 0, 0, 16, 0, 8, 0]))).lowerBound
        (file[frame + 1], file[frame + 3]) = (3, 2)
        let picture = try Picture(VisionImage(data: file))
        #expect(picture.size == PixelSize(width: 20, height: 12))
        #expect(picture.pixel(2, 2) == [255, 255, 255])
        #expect(picture.pixel(3, 2) == [255, 0, 0])
        #expect(picture.pixel(18, 9) == [10, 20, 30])
        #expect(picture.pixel(18, 10) == [255, 255, 255])
    }

    @Test(arguments: ["bmp.bmp", "tiff-tiles.tif", "tiff-predictor.tif", "tiff-planes.tif"])
    func aRegionEqualsThatPartOfTheWhole(name: String) throws {
        let image = try VisionImage(fixture: name)
        let size = PixelSize(width: 14, height: 9)
        let part = Placement(PixelRect(x: 19, y: 15, width: 14, height: 9), into: size, fit: .stretch)
        let alone = try image.decoded(for: [part])
        #expect(alone.pixels.width < image.size.width && alone.pixels.height < image.size.height)
        #expect(try alone.tensor(part) == image.decoded(for: []).tensor(part))
    }

    @Test(arguments: [
        "gif.gif", "gif-interlaced.gif", "bmp.bmp", "bmp-runs-8.bmp", "bmp-palette-4.bmp", "tiff.tif", "tiff-lzw.tif",
        "tiff-deflate.tif", "tiff-packbits.tif", "tiff-tiles.tif", "tiff-ycbcr.tif", "large.heic", "large.avif",
    ])
    func aPictureThatIsCutShortIsAnError(name: String) throws {
        let whole = try Data(contentsOf: TestData.fixture("images/\(name)"))
        for share in [0.02, 0.1, 0.4, 0.7, 0.9] {
            let cut = whole.prefix(Int(Double(whole.count) * share))
            #expect(throws: ImageError.self, "\(name) cut at \(share)") { try VisionImage(data: cut).upright() }
        }
    }

    @Test func aTIFFWhosePartsShareTheirBytesIsAnError() throws {
        var file = try Data(contentsOf: TestData.fixture("images/tiff-predictor.tif"))
        // Each of the strips gets the length of the whole file.
        let directory = Int(file[4]) | Int(file[5]) << 8
        let tag = try #require(file[directory...].range(of: Data([0x17, 0x01])))
        let counts = (0..<4).reduce(0) { $0 | Int(file[tag.lowerBound + 8 + $1]) << (8 * $1) }
        let isShort = file[tag.lowerBound + 2] == 3
        for strip in 0..<8 {
            let place = counts + strip * (isShort ? 2 : 4)
            (file[place], file[place + 1]) = (UInt8(file.count & 0xFF), UInt8(file.count >> 8 & 0xFF))
        }
        #expect(throws: ImageError.corrupted(format: "TIFF", reason: "its parts have more bytes than the file")) {
            try VisionImage(data: file)
        }
    }

    @Test func anEnormousBMPIsRefusedBeforeMemoryIsAllocated() throws {
        var file = try Data(contentsOf: TestData.fixture("images/bmp.bmp"))
        file.replaceSubrange(18..<26, with: [0, 0, 1, 0, 0, 0, 1, 0])
        #expect(throws: ImageError.tooLarge(PixelSize(width: 65536, height: 65536), maximumPixels: 200_000_000)) {
            try VisionImage(data: file)
        }
    }

    @Test func textThatBeginsLikeABMPIsNoPicture() {
        #expect(throws: ImageError.unsupportedFormat(found: "plain text")) {
            try VisionImage(data: Data("BM is how this text begins, as some do.".utf8))
        }
    }

    @Test func eachFormatHasANameAndExtensionsOfItsOwn() {
        #expect(Set(ImageFormat.readable.map(\.name)).count == ImageFormat.readable.count)
        let extensions = ImageFormat.readable.flatMap(\.fileExtensions)
        #expect(Set(extensions).count == extensions.count)
        #expect(ImageFormat.writable == [.jpeg, .png])
        #expect(ImageFormat.readableNames == "JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC and AVIF")
    }

    @Test(arguments: [
        ("photo.HEIC", "HEIC"), ("a.b.tiff", "TIFF"), ("x.jpe", "JPEG"), ("x", nil), ("jpg", nil), ("x.txt", nil),
    ])
    func aNameTellsItsFormat(name: String, format: String?) {
        #expect(ImageFormat.isReadable(fileName: name) == (format != nil))
        let fileExtension = URL(filePath: name).pathExtension
        #expect(ImageFormat(fileExtension: fileExtension)?.name == format)
    }
}

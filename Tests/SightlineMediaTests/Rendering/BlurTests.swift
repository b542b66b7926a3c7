import Foundation
import Sightline
import SightlineMedia
import SightlineTestSupport
import Testing

/// Blurred objects.
@Suite(.hangLimit)
struct BlurTests {
    /// A picture of black and white columns, each one pixel wide.
    private func stripes(_ format: PixelBuffer.Format, width: Int, height: Int) throws -> VisionImage {
        let values = (0..<width).map { UInt8($0 % 2 * 255) }
        func plane(_ row: [UInt8], rows: Int) -> PixelBuffer.Plane {
            PixelBuffer.Plane(data: Data((0..<rows).flatMap { _ in row }), bytesPerRow: row.count)
        }
        let half = (width: (width + 1) / 2, height: (height + 1) / 2)
        let neutral = [UInt8](repeating: 128, count: half.width)
        let planes: [PixelBuffer.Plane] =
            switch format {
            case .rgb: [plane(values.flatMap { [$0, $0, $0] }, rows: height)]
            case .rgba, .bgra: [plane(values.flatMap { [$0, $0, $0, 255] }, rows: height)]
            case .gray: [plane(values, rows: height)]
            case .nv12: [plane(values, rows: height), plane(neutral + neutral, rows: half.height)]
            case .i420:
                [plane(values, rows: height), plane(neutral, rows: half.height), plane(neutral, rows: half.height)]
            }
        return VisionImage(pixels: try PixelBuffer(format: format, width: width, height: height, planes: planes))
    }

    private func blur(_ image: VisionImage, _ frame: PixelRect, asCover: Bool = false) throws -> PixelBuffer {
        var renderer = PictureRenderer([BlurAnnotator()])
        let scene = AnnotatedScene(
            objects: asCover ? [] : [DetectedObject(frame: frame, confidence: 1)],
            covers: asCover ? [frame] : []
        )
        let drawn = try renderer.render(scene, on: VideoFrame(image: image, timestamp: .zero, index: 0))
        return try drawn.image.upright()
    }

    @Test(arguments: PixelBuffer.Format.allCases, [false, true])
    func leavesNoDetailInTheObjectAndItsMarginAndTheRestAlone(format: PixelBuffer.Format, asCover: Bool) throws {
        let image = try stripes(format, width: 64, height: 48)
        // An eighth more on each side is from 10 to 50, and from 8 to 38.
        let picture = try blur(image, PixelRect(x: 14, y: 11, width: 32, height: 24), asCover: asCover)
        let plain = try image.upright()
        // A cell of seven columns has four of one color. Video has a smaller range of luma.
        for y in 0..<48 {
            for x in 0..<64 {
                let isInside = (10..<50).contains(x) && (8..<38).contains(y)
                let pixel = try picture.pixel(x, y)
                if isInside {
                    #expect((90...165).contains(pixel.red), "\(pixel) at \(x), \(y)")
                } else {
                    #expect(try pixel == plain.pixel(x, y), "at \(x), \(y)")
                }
            }
        }
    }

    @Test(arguments: [
        PixelRect(x: -50, y: -50, width: 500, height: 500), PixelRect(x: 62.5, y: 0, width: 10, height: 1),
        PixelRect(x: .nan, y: 0, width: 5, height: 5), PixelRect(x: 500, y: 0, width: 5, height: 5),
        PixelRect(x: -1e300, y: -1e300, width: .infinity, height: 1e301),
    ])
    func acceptsAnyFrame(frame: PixelRect) throws {
        for format in PixelBuffer.Format.allCases {
            let picture = try blur(stripes(format, width: 63, height: 47), frame)
            #expect(picture.size == PixelSize(width: 63, height: 47))
        }
    }

    @Test func blursTheObjectOfATurnedPicture() throws {
        let pixels = try #require(try stripes(.rgb, width: 64, height: 48).storedPixels)
        let picture = try blur(
            VisionImage(pixels: pixels, orientation: .right),
            PixelRect(x: 0, y: 0, width: 48, height: 20)
        )
        #expect(picture.size == PixelSize(width: 48, height: 64))
        #expect((100...156).contains(try picture.pixel(24, 10).red))
        #expect([0, 255].contains(try picture.pixel(24, 40).red))
    }

    @Test func blursAnObjectBeforeItHasAnIdentity() throws {
        let frame = PixelRect(x: 0, y: 0, width: 64, height: 48)
        let result = StreamResult(
            timestamp: .zero,
            index: 0,
            size: PixelSize(width: 64, height: 48),
            objects: [],
            tentative: [DetectedObject(frame: frame, confidence: 1)]
        )
        var renderer = PictureRenderer([BlurAnnotator()])
        let picture = try renderer.render(AnnotatedScene(result), on: stripes(.rgb, width: 64, height: 48))
        #expect((90...165).contains(try picture.pixel(32, 24).red))
    }

    @Test func keepsTheMeanColor() throws {
        let picture = try blur(plainImage(width: 40, height: 40), PixelRect(x: 5, y: 5, width: 20, height: 20))
        #expect(try picture.drawnPixels(x: 0..<40, y: 0..<40) == 0)
    }
}

/// Objects cut out of pictures.
@Suite(.hangLimit)
struct ObjectCropTests {
    @Test func cutsOutTheWholePixelsOfAnObject() throws {
        var bytes = Data()
        for y in 0..<10 { for x in 0..<20 { bytes += [UInt8(x), UInt8(y), 0] } }
        let picture = try PixelBuffer(
            format: .rgb,
            width: 20,
            height: 10,
            planes: [PixelBuffer.Plane(data: bytes, bytesPerRow: 60)]
        )
        let crop = try #require(try ObjectCrop.crop(picture, to: PixelRect(x: 15.5, y: -3, width: 9, height: 6.2)))
        #expect(crop.size == PixelSize(width: 5, height: 4))
        #expect(try crop.pixel(0, 0) == Pixel(15, 0, 0))
        #expect(try crop.pixel(4, 3) == Pixel(19, 3, 0))
    }

    @Test(arguments: [
        PixelRect(x: 30, y: 0, width: 5, height: 5), PixelRect(x: .nan, y: 0, width: 5, height: 5),
        PixelRect(x: 0, y: 0, width: 0, height: 5),
    ])
    func anObjectOutsideThePictureHasNoCrop(frame: PixelRect) throws {
        #expect(try ObjectCrop.crop(plainPicture(width: 20, height: 10), to: frame) == nil)
    }
}

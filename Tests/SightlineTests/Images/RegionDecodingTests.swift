import Foundation
import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct RegionDecodingTests {
    static let names = [
        "large-420.jpg", "large-422.jpg", "large-444.jpg", "large-gray.jpg", "large-progressive.jpg",
        "large-restart.jpg",
    ]

    /// A region decoded alone equals that part of the picture decoded whole at the same scale, except that the left-most
    /// and right-most columns of an upsampled region lack a neighbor; the margin keeps those out of the tensor.
    @Test(arguments: names, [1, 2, 4, 8]) func aRegionEqualsThatPartOfTheWhole(name: String, eighths: Int) throws {
        let image = try VisionImage(fixture: name)
        let scale = Double(eighths) / 8
        var generator = RepeatableRandom(seed: UInt64(eighths))
        var compared = 0
        for _ in 0..<12 {
            let width = Double.random(in: 8...150, using: &generator)
            let height = Double.random(in: 8...110, using: &generator)
            let region = PixelRect(
                x: .random(in: 0...(203 - width), using: &generator),
                y: .random(in: 0...(150 - height), using: &generator),
                width: width,
                height: height
            )
            // As many pixels as the scale gives, so that both decode at that scale.
            let target = PixelSize(
                width: max(Int(width * scale), 1),
                height: max(Int(height * scale), 1)
            )
            let part = Placement(region, into: target, fit: .stretch)
            let whole = Placement(
                PixelRect(image.size),
                into: PixelSize(width: Int(203 * scale), height: Int(150 * scale)),
                fit: .stretch
            )
            let alone = try image.decoded(for: [part])
            let among = try image.decoded(for: [part, whole])
            guard among.pixels.width == (203 * eighths + 7) / 8 else { continue }
            compared += 1
            #expect(alone.pixels.width <= among.pixels.width)
            let difference = zip(try alone.tensor(part), try among.tensor(part)).map { abs(Int($0) - Int($1)) }
            #expect((difference.max() ?? 256) <= 1, "\(region) at \(eighths)/8")
        }
        #expect(compared > 8)
    }

    @Test(arguments: ["large.png", "large.webp"]) func regionsOfOtherFormatsEqualThatPartOfTheWhole(name: String) throws
    {
        let image = try VisionImage(fixture: name)
        let region = PixelRect(x: 61.5, y: 33.25, width: 80, height: 60)
        let part = Placement(region, into: PixelSize(width: 80, height: 60), fit: .stretch)
        let alone = try image.decoded(for: [part])
        #expect(alone.pixels.width < image.size.width && alone.pixels.height < image.size.height)
        let difference = zip(try alone.tensor(part), try image.decoded(for: []).tensor(part)).map {
            abs(Int($0) - Int($1))
        }
        // libwebp upsamples the chroma of a cropped picture without the neighbors outside.
        #expect((difference.max() ?? 256) <= (name.hasSuffix("png") ? 0 : 2))
    }

    @Test func theSmallestScaleThatCoversEveryPlacementIsTaken() throws {
        let image = try VisionImage(fixture: "large-420.jpg")
        func decodedSize(_ sizes: (Int, Int)...) throws -> PixelSize {
            try image.decoded(
                for: sizes.map {
                    Placement(PixelRect(image.size), into: PixelSize(width: $0.0, height: $0.1), fit: .stretch)
                }
            ).pixels.size
        }
        #expect(try decodedSize((10, 10)) == PixelSize(width: 26, height: 19))
        #expect(try decodedSize((30, 30)) == PixelSize(width: 51, height: 38))
        #expect(try decodedSize((10, 10), (70, 70)) == PixelSize(width: 102, height: 75))
        #expect(try decodedSize((1000, 1000)) == PixelSize(width: 203, height: 150))
    }

    /// Reduced pictures are averages, compared here with means of blocks of the full picture.
    @Test(arguments: names, [1, 2, 4]) func reducedPicturesAreMeansOfTheFullOne(name: String, eighths: Int) throws {
        let image = try VisionImage(fixture: name)
        let target = PixelSize(width: 203 * eighths / 8, height: 150 * eighths / 8)
        let placement = Placement(PixelRect(image.size), into: target, fit: .stretch)
        let decoded = try image.decoded(for: [placement])
        #expect(decoded.pixels.width == (203 * eighths + 7) / 8)
        let reduced = Picture(decoded.pixels)
        let full = try Picture(image)
        let block = 8 / eighths
        var (colors, luma) = (0.0, 0.0)
        for y in 0..<target.height {
            for x in 0..<target.width {
                let cut = full.cropped(left: x * block, top: y * block, width: block, height: block)
                let differences = (0..<3).map { channel in
                    let values = stride(from: channel, to: cut.bytes.count, by: 3).map { Double(cut.bytes[$0]) }
                    return values.reduce(0, +) / Double(values.count) - Double(reduced.pixel(x, y)[channel])
                }
                colors += differences.reduce(0) { $0 + abs($1) } / 3
                luma += abs(0.299 * differences[0] + 0.587 * differences[1] + 0.114 * differences[2])
            }
        }
        let count = Double(target.width * target.height)
        // Levels, on average.
        #expect(luma / count < 1.5)
        // At one eighth chroma has one value for two or four pixels unless it is as fine as luma, which shows in a picture of
        // 25 columns.
        let isCoarse = eighths == 1 && !name.contains("444") && !name.contains("gray")
        #expect(colors / count < (isCoarse ? 8 : 3))
    }

    @Test func aSourceBesideThePictureIsAnError() throws {
        let image = try VisionImage(fixture: "large-420.jpg")
        for region in [
            PixelRect(x: 300, y: 0, width: 10, height: 10), PixelRect(x: -20, y: 0, width: 20, height: 20),
            PixelRect(x: 0, y: 0, width: 0, height: 10), PixelRect(x: .nan, y: 0, width: 10, height: 10),
            PixelRect(x: 0, y: 0, width: .infinity, height: 10),
        ] {
            let placement = Placement(region, into: PixelSize(width: 8, height: 8), fit: .stretch)
            #expect(throws: ImageError.self) { try image.decoded(for: [placement]) }
        }
    }

    @Test func aSourceMayStickOutOfThePicture() throws {
        let image = try VisionImage(fixture: "png-1x1.png")
        let placement = Placement(
            PixelRect(x: -50, y: -50, width: 1000, height: 1000),
            into: PixelSize(width: 5, height: 5),
            fit: .stretch
        )
        let tensor = try image.decoded(for: [placement]).tensor(placement)
        #expect(tensor == Array(repeating: [1, 2, 3], count: 25).flatMap(\.self))
    }

    @Test func writingWhatWasNotDecodedIsAnError() throws {
        let image = try VisionImage(fixture: "large-420.jpg")
        let size = PixelSize(width: 16, height: 16)
        let corner = Placement(PixelRect(x: 0, y: 0, width: 32, height: 32), into: size, fit: .stretch)
        let whole = Placement(PixelRect(image.size), into: size, fit: .stretch)
        let decoded = try image.decoded(for: [corner])
        #expect(throws: ImageError.invalidRegion(whole.source, in: image.size)) { try decoded.tensor(whole) }
    }
}

import Foundation
import SightlineTestSupport
import Testing

@testable import SightlineImages

@Suite(.hangLimit) struct JPEGThumbnailTests {
    /// Levels of brightness. Colors are coarser where chroma has half the resolution.
    private static let meanTolerance = 1.0

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: TestData.fixture("images/" + name)) }

    private func decode(_ data: Data) -> JPEGThumbnail? { data.withUnsafeBytes(JPEGThumbnail.decode) }

    /// ITU-R BT.601 luma.
    private func brightness(_ rgb: [Double]) -> Double { 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] }

    @Test(arguments: [
        "large-420.jpg", "large-422.jpg", "large-444.jpg", "large-gray.jpg", "large-restart.jpg",
        "large-progressive.jpg",
    ])
    func aPixelIsTheMeanOfItsBlock(name: String) throws {
        let thumbnail = try #require(decode(bytes(name)))
        let full = try Picture(fixture: name)
        #expect(thumbnail.width == (full.size.width + 7) / 8 && thumbnail.height == (full.size.height + 7) / 8)
        var distances: [Double] = []
        // Blocks at the right and lower edge reach outside, where the encoder chose what it liked.
        for y in 0..<full.size.height / 8 {
            for x in 0..<full.size.width / 8 {
                let block = full.cropped(left: x * 8, top: y * 8, width: 8, height: 8)
                let at = (y * thumbnail.width + x) * thumbnail.channels
                let pixel = (0..<3).map { Double(thumbnail.pixels[at + min($0, thumbnail.channels - 1)]) }
                let mean = (0..<3).map { channel in
                    stride(from: channel, to: 192, by: 3).reduce(0.0) { $0 + Double(block.bytes[$1]) } / 64
                }
                distances.append(abs(brightness(pixel) - brightness(mean)))
            }
        }
        #expect(distances.reduce(0, +) / Double(distances.count) < Self.meanTolerance)
    }

    @Test(arguments: ["jpeg-cmyk.jpg", "jpeg-ycck.jpg", "scene.png"])
    func whatItDoesNotReadIsLeftToTheLibrary(name: String) throws {
        #expect(try decode(bytes(name)) == nil)
    }

    @Test(arguments: ["large-420.jpg", "large-progressive.jpg", "large-restart.jpg"])
    func aCutOffPictureIsLeftToTheLibrary(name: String) throws {
        let data = try bytes(name)
        for length in stride(from: 0, to: data.count - 2, by: 7) {
            #expect(decode(data.prefix(length)) == nil)
        }
    }

    @Test(arguments: 0..<400 as Range<UInt64>)
    func damagedBytesNeverTrap(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let names = ["large-420.jpg", "large-progressive.jpg", "large-restart.jpg", "large-gray.jpg", "jpeg-1x1.jpg"]
        var data = try bytes(names[Int(seed) % names.count])
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            data[Int.random(in: 0..<data.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        // A size field may grow; what the caller would refuse is not decoded here either.
        guard (try? VisionImage(data: data, limits: ImageLimits(maximumPixels: 1_000_000))) != nil else { return }
        guard let thumbnail = decode(data) else { return }
        #expect(thumbnail.pixels.count == thumbnail.width * thumbnail.height * thumbnail.channels)
    }
}

import Foundation
import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit, .enabled(if: TestData.isAvailable, TestData.reason))
struct RealPhotoTests {
    /// The greatest and the mean distance of two tensors' bytes.
    private func distance(_ first: [UInt8], _ second: [UInt8]) -> (greatest: Int, mean: Double) {
        let distances = zip(first, second).map { abs(Int($0) - Int($1)) }
        return (distances.max() ?? 0, Double(distances.reduce(0, +)) / Double(max(distances.count, 1)))
    }

    @Test func aScaledDecodeGivesNearlyTheTensorOfAFullOne() throws {
        let image = try VisionImage(contentsOf: TestData.real("images/cat_1080p.jpg"))
        let size = PixelSize(width: 224, height: 224)
        let placement = Placement(PixelRect(image.size), into: size, fit: .stretch)
        let scaled = try image.decoded(for: [placement])
        #expect(scaled.pixels.size == PixelSize(width: 480, height: 270))
        let full = try image.decoded(for: [])
        #expect(full.pixels.size == image.size)
        // A scaled decode averages what interpolation skips, so that single pixels differ at edges.
        let difference = distance(try scaled.tensor(placement), try full.tensor(placement))
        #expect(difference.mean < 8)
    }
}

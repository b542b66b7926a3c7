import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// Masks of COCO are read as pycocotools reads them.
@Suite(.hangLimit) struct COCOMaskReadingTests {
    private struct Fixture: Decodable {
        struct Fill: Decodable {
            let polygon: [Double]
            let counts: String
        }

        let size: [Int]
        let fills: [Fill]
    }

    private let size = PixelSize(width: 120, height: 90)

    @Test func polygonsFillThePixelsThatPycocotoolsFills() throws {
        let data = try Data(contentsOf: TestData.fixture("boxes/masks.json"))
        let fixture = try JSONDecoder().decode(Fixture.self, from: data)
        #expect(fixture.size == [size.height, size.width])
        for fill in fixture.fills {
            let found = try #require(COCOMask(polygon: fill.polygon, size: size))
            let expected = try #require(COCOMask(size: size, text: fill.counts))
            #expect(found.area == expected.area, "\(fill.polygon)")
            #expect(found.intersection(expected) == expected.area, "\(fill.polygon)")
        }
    }

    private static func mask(_ random: inout RepeatableRandom, in size: PixelSize) throws -> COCOMask {
        var (counts, left) = ([Int](), size.width * size.height)
        while left > 0 {
            counts.append(min(Int.random(in: 0...40, using: &random), left))
            left -= counts[counts.count - 1]
        }
        return try #require(COCOMask(size: size, counts: counts))
    }

    private func pixels(_ mask: COCOMask) -> [Bool] {
        mask.counts.enumerated().flatMap { index, count in Array(repeating: !index.isMultiple(of: 2), count: count) }
    }

    @Test(arguments: 0..<30) func runsSayTheSameAsTextAndPixels(seed: UInt64) throws {
        var random = RepeatableRandom(seed: seed)
        let small = PixelSize(width: 31, height: 23)
        let (one, other) = (try Self.mask(&random, in: small), try Self.mask(&random, in: small))
        #expect(COCOMask(size: small, text: one.text) == one)
        let (mine, others) = (pixels(one), pixels(other))
        #expect(one.area == mine.count { $0 })
        #expect(one.intersection(other) == zip(mine, others).count { $0 && $1 })
        let union = try #require(COCOMask.union([one, other]))
        #expect(pixels(union) == zip(mine, others).map { $0 || $1 })
        let places = mine.indices.filter { mine[$0] }
        let columns = places.map { $0 / small.height }
        let rows = places.map { $0 % small.height }
        if let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() {
            let box = one.bounds
            #expect([box.x, box.maxX] == [Double(left), Double(right + 1)])
            // As pycocotools, a run over several columns reaches from the top to the bottom.
            #expect(box.y <= Double(top) && box.maxY >= Double(bottom + 1))
        }
    }

    @Test func masksOfOtherSizesShareNothing() throws {
        let one = try #require(COCOMask(size: PixelSize(width: 2, height: 3), counts: [0, 6]))
        let other = try #require(COCOMask(size: PixelSize(width: 3, height: 2), counts: [0, 6]))
        #expect(one.intersection(other) == nil)
        #expect(COCOMask.union([one, other]) == nil)
    }

    @Test(arguments: ["", "0", "\u{7F}", "oooooooooooooo0", "é", "0o", "1111111111111111"])
    func aTextThatDoesNotFillThePictureIsNoMask(text: String) {
        #expect(COCOMask(size: PixelSize(width: 5, height: 5), text: text) == nil)
    }

    @Test(
        arguments: [
            [], [1, 2, 3], [Double.nan, 0, 1, 1, 2, 2], [1e300, 0, 1, 1, 2, 2], [-Double.infinity, 0, 1, 1, 2, 2],
        ] as [[Double]]
    )
    func cornersThatAreNoneAreNoMask(polygon: [Double]) {
        #expect(COCOMask(polygon: polygon, size: size) == nil)
    }
}

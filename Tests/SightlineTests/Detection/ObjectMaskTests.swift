import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// A mask says the same in all its forms.
@Suite(.hangLimit) struct ObjectMaskTests {
    /// Pixels of a picture, as a set.
    private struct Pixel: Hashable {
        let x: Int
        let y: Int
    }

    private static func mask(_ random: inout some RandomNumberGenerator) throws -> (ObjectMask, Set<Pixel>) {
        let (x, y) = (Int.random(in: -3...9, using: &random), Int.random(in: -3...9, using: &random))
        let (width, height) = (Int.random(in: 1...9, using: &random), Int.random(in: 1...9, using: &random))
        let share = Double.random(in: 0...1, using: &random)
        var inside: Set<Pixel> = []
        for row in y..<y + height {
            for column in x..<x + width where Double.random(in: 0...1, using: &random) < share {
                inside.insert(Pixel(x: column, y: row))
            }
        }
        let mask = ObjectMask(x: x, y: y, width: width, height: height) { inside.contains(Pixel(x: $0, y: $1)) }
        return (try #require(mask), inside)
    }

    @Test(arguments: 0..<40) func everyFormHasTheSamePixels(seed: UInt64) throws {
        var random = RepeatableRandom(seed: seed)
        let (mask, inside) = try Self.mask(&random)
        #expect(mask.area == inside.count)
        #expect(Set(mask.spans.flatMap { span in span.columns.map { Pixel(x: $0, y: span.y) } }) == inside)
        for y in -4...20 {
            for x in -4...20 { #expect(mask.contains(x: x, y: y) == inside.contains(Pixel(x: x, y: y))) }
        }
        #expect(try JSONDecoder().decode(ObjectMask.self, from: JSONEncoder().encode(mask)) == mask)
        #expect(ObjectMask(x: mask.x, y: mask.y, width: mask.width, height: mask.height, runs: mask.runs) == mask)
    }

    @Test(arguments: 0..<40) func overlapIsThatOfThePixels(seed: UInt64) throws {
        var random = RepeatableRandom(seed: seed)
        let (one, pixels) = try Self.mask(&random)
        let (other, others) = try Self.mask(&random)
        let union = pixels.union(others).count
        let expected = union == 0 ? 0 : Double(pixels.intersection(others).count) / Double(union)
        #expect(one.iou(other) == expected)
        #expect(other.iou(one) == expected)
    }

    @Test(
        arguments: [
            (2, 2, [3]), (2, 2, [5]), (2, 2, [1, -1, 4]), (2, 2, [Int.max, 4]), (2, 2, []), (0, 2, []), (-1, -4, [4]),
            (1 << 20, 1 << 20, [1 << 40]), (Int.max, Int.max, [1]),
        ]
    )
    func runsThatDoNotFillTheirRectangleAreNoMask(width: Int, height: Int, runs: [Int]) {
        #expect(ObjectMask(x: 0, y: 0, width: width, height: height, runs: runs) == nil)
    }

    @Test func aHostileDocumentIsADecodingError() {
        let text = #"{"x":0,"y":0,"width":4,"height":4,"runs":[1,2]}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ObjectMask.self, from: Data(text.utf8)) }
    }
}

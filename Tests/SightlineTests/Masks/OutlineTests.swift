import Sightline
import SightlineTestSupport
import Testing

/// Outlines are the mask, as polygons.
@Suite(.hangLimit) struct OutlineTests {
    /// Pixels inside and outside at random.
    private static func noise(_ random: inout some RandomNumberGenerator) throws -> ObjectMask {
        let (width, height) = (Int.random(in: 1...14, using: &random), Int.random(in: 1...14, using: &random))
        let share = Double.random(in: 0.1...0.95, using: &random)
        let pixels = (0..<width * height).map { _ in Double.random(in: 0...1, using: &random) < share }
        let (x, y) = (Int.random(in: 0...5, using: &random), Int.random(in: 0...5, using: &random))
        return try #require(
            ObjectMask(x: x, y: y, width: width, height: height) { pixels[($1 - y) * width + $0 - x] }
        )
    }

    /// Some discs with holes, as a model gives them.
    private static func discs(_ random: inout some RandomNumberGenerator) throws -> ObjectMask {
        let discs = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            (
                x: Double.random(in: 10...110, using: &random), y: Double.random(in: 10...80, using: &random),
                outer: Double.random(in: 4...30, using: &random), inner: Double.random(in: -10...8, using: &random)
            )
        }
        return try #require(
            ObjectMask(x: 0, y: 0, width: 120, height: 90) { x, y in
                discs.contains { disc in
                    let (across, down) = (Double(x) + 0.5 - disc.x, Double(y) + 0.5 - disc.y)
                    let distance = (across * across + down * down).squareRoot()
                    return distance < disc.outer && distance > disc.inner
                }
            }
        )
    }

    private static func mask(_ seed: UInt64) throws -> ObjectMask {
        var random = RepeatableRandom(seed: seed)
        return try seed.isMultiple(of: 2) ? noise(&random) : discs(&random)
    }

    /// The pixels whose centers are an odd number of times inside polygons.
    private func filled(_ polygons: [[PixelPoint]], like mask: ObjectMask) throws -> ObjectMask {
        try #require(
            ObjectMask(x: mask.x, y: mask.y, width: mask.width, height: mask.height) { column, row in
                let (x, y) = (Double(column) + 0.5, Double(row) + 0.5)
                var isInside = false
                for polygon in polygons {
                    for (index, start) in polygon.enumerated() {
                        let end = polygon[(index + 1) % polygon.count]
                        guard (start.y > y) != (end.y > y) else { continue }
                        if x < start.x + (y - start.y) / (end.y - start.y) * (end.x - start.x) { isInside.toggle() }
                    }
                }
                return isInside
            }
        )
    }

    @Test(arguments: 0..<60, [ObjectMask.OutlineDetail.pixels, .smooth])
    func outlinesFilledAgainAreTheMask(seed: UInt64, detail: ObjectMask.OutlineDetail) throws {
        let mask = try Self.mask(seed)
        #expect(try filled(mask.outlines(detail), like: mask) == mask)
        #expect(try filled([mask.outline(detail)], like: mask) == mask)
    }

    @Test(arguments: 0..<60) func outlinesAlongPixelsAreExactInPycocotools(seed: UInt64) throws {
        let mask = try Self.mask(seed)
        let size = PixelSize(width: 120, height: 90)
        let polygons = mask.outlines(.pixels).map { $0.flatMap { [$0.x, $0.y] } }
        let whole = try #require(COCOMask(size: size, counts: [size.width * size.height]))
        let found = try #require(COCOMask.union([whole] + polygons.compactMap { COCOMask(polygon: $0, size: size) }))
        #expect(found == COCOMask(mask, in: size))
    }

    /// pycocotools rounds the corners of smooth outlines to fifths of a pixel.
    @Test(arguments: (0..<30).map { UInt64(2 * $0 + 1) })
    func smoothOutlinesAreNearlyExactInPycocotools(seed: UInt64) throws {
        let mask = try Self.mask(seed)
        let size = PixelSize(width: 120, height: 90)
        let polygons = mask.outlines().map { $0.flatMap { [$0.x, $0.y] } }
        let found = try #require(COCOMask.union(polygons.compactMap { COCOMask(polygon: $0, size: size) }))
        let shared = try #require(found.intersection(COCOMask(mask, in: size)))
        let different = found.area + mask.area - 2 * shared
        #expect(Double(different) <= 0.01 * Double(mask.area), "\(different) of \(mask.area)")
    }

    @Test func aSmoothOutlineHasLessThanHalfOfTheCorners() throws {
        let disc = try #require(
            ObjectMask(x: 0, y: 0, width: 200, height: 200) { ($0 - 100) * ($0 - 100) + ($1 - 100) * ($1 - 100) < 8100 }
        )
        let (exact, smooth) = (disc.outlines(.pixels)[0].count, disc.outlines()[0].count)
        #expect(exact > 400)
        #expect(2 * smooth < exact)
    }

    @Test func eachPartHasAnOutlineAndPartsThatTouchAtACornerAreTwo() throws {
        let mask = try #require(ObjectMask(x: 3, y: 4, width: 4, height: 2) { x, y in (x < 5) == (y == 4) })
        let outlines = mask.outlines(.pixels)
        #expect(outlines.count == 2)
        #expect(
            Set(outlines[0].map { [$0.x, $0.y] }) == [[3, 4], [5, 4], [5, 5], [3, 5]]
        )
    }

    @Test func anEmptyMaskHasNoOutlines() throws {
        let mask = try #require(ObjectMask(x: 0, y: 0, width: 3, height: 3) { _, _ in false })
        #expect(mask.outlines().isEmpty)
        #expect(mask.outline().isEmpty)
    }
}

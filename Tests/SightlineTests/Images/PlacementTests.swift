import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct PlacementTests {
    @Test func stretchCoversTheRegionAndTheWholeTensor() {
        let region = PixelRect(x: 10, y: 20, width: 400, height: 100)
        let placement = Placement(region, into: PixelSize(width: 224, height: 224), fit: .stretch)
        #expect(placement.source == region)
        #expect(placement.target == PixelRect(x: 0, y: 0, width: 224, height: 224))
    }

    @Test func cropTakesTheCentredPartOfTheTensorsShape() {
        let placement = Placement(
            PixelRect(x: 0, y: 0, width: 400, height: 100),
            into: PixelSize(width: 50, height: 50),
            fit: .crop
        )
        #expect(placement.source == PixelRect(x: 150, y: 0, width: 100, height: 100))
    }

    @Test func letterboxKeepsTheShape() {
        let fit = ImageFit.letterbox(fill: 114, anchor: .center)
        let placement = Placement(
            PixelRect(x: 0, y: 0, width: 400, height: 200),
            into: PixelSize(width: 100, height: 100),
            fit: fit
        )
        #expect(placement.target == PixelRect(x: 0, y: 25, width: 100, height: 50))
        let corner = Placement(
            PixelRect(x: 0, y: 0, width: 400, height: 200),
            into: PixelSize(width: 100, height: 100),
            fit: .letterbox(fill: 0, anchor: .topLeft)
        )
        #expect(corner.target == PixelRect(x: 0, y: 0, width: 100, height: 50))
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func theTensorsPictureComesBackAsTheRegion(seed: UInt64) {
        var generator = RepeatableRandom(seed: seed)
        let region = PixelRect(
            x: .random(in: -10...50, using: &generator),
            y: .random(in: -10...50, using: &generator),
            width: .random(in: 1...3000, using: &generator),
            height: .random(in: 1...3000, using: &generator)
        )
        let size = PixelSize(
            width: .random(in: 1...500, using: &generator),
            height: .random(in: 1...500, using: &generator)
        )
        let fits: [ImageFit] = [
            .stretch, .crop, .letterbox(fill: 114, anchor: .center), .letterbox(fill: 0, anchor: .topLeft),
        ]
        for fit in fits {
            let placement = Placement(region, into: size, fit: fit)
            let target = placement.target
            let back = placement.pictureRect(
                left: target.x / Double(size.width),
                top: target.y / Double(size.height),
                right: target.maxX / Double(size.width),
                bottom: target.maxY / Double(size.height)
            )
            for (one, other) in [
                (back.x, placement.source.x), (back.y, placement.source.y), (back.width, placement.source.width),
                (back.height, placement.source.height),
            ] {
                #expect(abs(one - other) < 1e-6 * max(1, abs(other)))
            }
        }
    }
}

import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct EdgeClipperTests {
    private let size = PixelSize(width: 200, height: 100)

    private func carried(_ seen: PixelRect, to expected: PixelRect) -> PixelRect? {
        var clipper = EdgeClipper()
        clipper.remember(seen, of: 1, in: size)
        return clipper.visible(expected, of: 1, in: size)
    }

    @Test func aBoxInsideThePictureIsWhereItIsExpected() {
        let expected = PixelRect(x: 60, y: 20, width: 30, height: 40)
        #expect(carried(PixelRect(x: 50, y: 20, width: 30, height: 40), to: expected) == expected)
    }

    @Test func aBoxThatLeavesThePictureIsCutOff() {
        let frame = carried(
            PixelRect(x: 150, y: 20, width: 40, height: 40),
            to: PixelRect(x: 180, y: 20, width: 40, height: 40)
        )
        #expect(frame == PixelRect(x: 180, y: 20, width: 20, height: 40))
    }

    @Test func aBoxThatTheEdgeCutOffGoesOnToReachIt() {
        let frame = carried(
            PixelRect(x: 0.5, y: 60, width: 40, height: 40),
            to: PixelRect(x: 20, y: 50, width: 40, height: 40)
        )
        #expect(frame == PixelRect(x: 0, y: 50, width: 60, height: 50))
    }

    @Test func aBoxThatHasLeftThePictureIsNone() {
        #expect(
            carried(
                PixelRect(x: 150, y: 20, width: 40, height: 40),
                to: PixelRect(x: 210, y: 20, width: 40, height: 40)
            ) == nil
        )
    }
}

import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct ProminenceTests {
    private let picture = PixelSize(width: 400, height: 300)

    private func prominence(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ confidence: Float) -> Double
    {
        Prominence.of(PixelRect(x: x, y: y, width: width, height: height), confidence: confidence, in: picture)
    }

    @Test func theWholePictureWithFullConfidenceIsOne() {
        #expect(prominence(0, 0, 400, 300, 1) == 1)
    }

    @Test func largerMoreCentralAndSurerIsMoreProminent() {
        let base = prominence(0, 0, 100, 100, 0.8)
        #expect(prominence(0, 0, 150, 150, 0.8) > base)
        #expect(prominence(150, 100, 100, 100, 0.8) > base)
        #expect(prominence(0, 0, 100, 100, 0.9) > base)
    }

    @Test func aBoxOutsideThePictureIsNotProminent() {
        #expect(prominence(500, 0, 100, 100, 1) == 0)
        #expect(prominence(.nan, 0, 100, 100, 1) == 0)
    }
}

import Foundation
import Sightline
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct PictureFitTests {
    private let picture = PixelSize(width: 200, height: 100)

    @Test func aFittedPictureIsCenteredWithMargins() {
        let fit = PictureFit(picture, in: CGSize(width: 100, height: 100))
        #expect(fit.scale == 0.5)
        #expect(fit.rect(of: PixelRect(picture)) == CGRect(x: 0, y: 25, width: 100, height: 50))
    }

    @Test func aFillingPictureIsCenteredAndCutOff() {
        let fit = PictureFit(picture, in: CGSize(width: 100, height: 100), scaling: .fill)
        #expect(fit.rect(of: PixelRect(picture)) == CGRect(x: -50, y: 0, width: 200, height: 100))
    }

    @Test(arguments: [PictureFit.Scaling.fit, .fill]) func aPointLeadsBackToItsPixel(scaling: PictureFit.Scaling) {
        let fit = PictureFit(picture, in: CGSize(width: 320, height: 480), scaling: scaling)
        let corner = fit.rect(of: PixelRect(x: 30, y: 40, width: 10, height: 10)).origin
        let pixel = fit.pixel(at: corner)
        #expect(abs(pixel.x - 30) < 1e-9 && abs(pixel.y - 40) < 1e-9)
    }
}

import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct SSDAnchorsTests {
    private static let size = PixelSize(width: 300, height: 300)

    @Test func ssdMobileNetAt300PixelsHas1917Anchors() {
        #expect(SSDAnchors().layout(in: Self.size).count == 1917)
    }

    @Test func anchorsOfAMapLieInRowMajorOrderAtCellCentres() {
        var layout = SSDAnchors(featureMaps: [2])
        layout.reducesFinestMap = false
        layout.aspectRatios = [1]
        let boxes = layout.layout(in: Self.size)
        #expect(boxes.map(\.x) == [0.25, 0.25, 0.75, 0.75, 0.25, 0.25, 0.75, 0.75])
        #expect(boxes.map(\.y) == [0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75])
    }

    /// The first and the last anchors of each map, as `TFLiteFaceDetector.py` of Linzaer's repository computes them.
    @Test func squareAnchorsAreThoseOfUltraLightFace() {
        let published = SSDAnchors.Published.ultraLightFace
        let size = PixelSize(width: 320, height: 240)
        let boxes = published.anchors.layout(in: size)
        #expect(boxes.count == 4420 && published.anchors.count(in: size) == 4420)
        let expected: [(place: Int, x: Float, y: Float, width: Float, height: Float)] = [
            (0, 0.0125, 0.016667, 0.03125, 0.041667), (2, 0.0125, 0.016667, 0.075, 0.1),
            (3599, 0.9875, 0.983333, 0.075, 0.1), (3600, 0.025, 0.033333, 0.1, 0.133333),
            (4200, 0.05, 0.0625, 0.2, 0.266667), (4359, 0.95, 0.9375, 0.3, 0.4), (4419, 0.9, 0.875, 0.8, 1),
        ]
        for (place, x, y, width, height) in expected {
            let box = boxes[place]
            for (found, wanted) in [(box.x, x), (box.y, y), (box.width, width), (box.height, height)] {
                #expect(abs(found - wanted) < 1e-5, "\(place): \(box)")
            }
        }
    }

    @Test func anUnreasonableLayoutIsRefused() {
        for text in [
            "{\"featureMaps\": [0]}", "{\"featureMaps\": [100000]}", "{\"featureMaps\": [-3]}",
            "{\"squares\": [{\"stride\": 0, \"sizes\": [8]}]}", "{\"squares\": [{\"stride\": 8, \"sizes\": [-1]}]}",
        ] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(SSDAnchors.self, from: Data(text.utf8))
            }
        }
    }
}

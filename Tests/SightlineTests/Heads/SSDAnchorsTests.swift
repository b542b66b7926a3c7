import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct SSDAnchorsTests {
    @Test func ssdMobileNetAt300PixelsHas1917Anchors() {
        #expect(SSDAnchors().layout().count == 1917)
    }

    @Test func anchorsOfAMapLieInRowMajorOrderAtCellCentres() {
        var layout = SSDAnchors(featureMaps: [2])
        layout.reducesFinestMap = false
        layout.aspectRatios = [1]
        let boxes = layout.layout()
        #expect(boxes.map(\.x) == [0.25, 0.25, 0.75, 0.75, 0.25, 0.25, 0.75, 0.75])
        #expect(boxes.map(\.y) == [0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75])
    }

    @Test func anUnreasonableLayoutIsRefused() {
        for text in ["{\"featureMaps\": [0]}", "{\"featureMaps\": [100000]}", "{\"featureMaps\": [-3]}"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(SSDAnchors.self, from: Data(text.utf8))
            }
        }
    }
}

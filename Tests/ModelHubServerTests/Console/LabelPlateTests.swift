import Testing

@testable import ModelHubServer

/// The plates with labels on the picture of a trial.
@Suite struct LabelPlateTests {
    @Test func platesLieInThePictureAndDoNotCoverEachOther() {
        var places = LabelPlates(width: 1024, height: 683)
        // Kites of one size in a corner, as a detector finds them in one another.
        let boxes = (0..<12).map { number in
            LabelPlates.Frame(x: Double(number * 7) - 20, y: Double(number * 5) - 10, width: 120, height: 90)
        }
        let plates = boxes.compactMap { places.place("kite 52.3 %", of: $0) }
        #expect(plates.count >= 3)
        for (index, plate) in plates.enumerated() {
            #expect(plate.x >= 0 && plate.x + plate.width <= 1024)
            #expect(plate.y >= 0 && plate.y + plate.height <= 683)
            #expect(!plates[..<index].contains { $0.overlaps(plate) })
        }
    }

    @Test func aPlateLiesAboveItsBox() {
        var places = LabelPlates(width: 1024, height: 683)
        let box = LabelPlates.Frame(x: 300, y: 200, width: 120, height: 90)
        let plate = places.place("cat 90.0 %", of: box)
        #expect(plate?.x == 300)
        #expect(plate.map { $0.y + $0.height } == 200)
    }

    @Test func aTextThatIsWiderThanThePictureBeginsAtItsEdge() {
        var places = LabelPlates(width: 64, height: 64)
        let plate = places.place("Carnegiea gigantea 99.0 %", of: .init(x: 10, y: 30, width: 20, height: 20))
        #expect(plate?.x == 0)
    }
}

import Sightline
import SightlineTestSupport
import Testing

/// Zones and lines that count by feet.
@Suite(.hangLimit) struct FeetTests {
    /// A person whose box ends at 500, with ankles.
    private func person(
        ankles: [(x: Double, y: Double, confidence: Float)],
        bottom: Double = 500,
        isDetected: Bool = true,
        firstFrame: PixelRect? = nil
    ) -> DetectedObject {
        let names = [ObjectPoint.Name.leftAnkle, .rightAnkle]
        return DetectedObject(
            frame: PixelRect(x: 100, y: bottom - 200, width: 100, height: 200),
            confidence: 0.9,
            points: isDetected
                ? zip(names, ankles).map {
                    ObjectPoint($0, at: PixelPoint(x: $1.x, y: $1.y), confidence: $1.confidence)
                } + [ObjectPoint(.nose, at: PixelPoint(x: 150, y: 310), confidence: 0.9)] : nil,
            track: Track(
                state: .confirmed(id: 1),
                firstSeen: .zero,
                firstFrame: firstFrame,
                lastSeen: .zero,
                isDetected: isDetected
            )
        )
    }

    @Test func feetAreTheMeanOfTheConfidentAnkles() {
        let both = person(ankles: [(120, 480, 0.9), (140, 470, 0.9)])
        #expect(BoxAnchor.feet.point(of: both) == PixelPoint(x: 130, y: 475))
        let one = person(ankles: [(120, 480, 0.9), (140, 300, 0.1)])
        #expect(BoxAnchor.feet.point(of: one) == PixelPoint(x: 120, y: 480))
    }

    @Test func withoutAnklesTheMiddleOfTheLowerEdgeCounts() {
        let hidden = person(ankles: [(120, 480, 0.1), (140, 470, 0.2)])
        let carriedOn = person(ankles: [(120, 480, 0.9)], isDetected: false)
        for object in [hidden, carriedOn] {
            #expect(BoxAnchor.feet.point(of: object) == PixelPoint(x: 150, y: 500))
        }
    }

    @Test func otherAnchorsTakeTheBox() {
        let object = person(ankles: [(120, 480, 0.9), (140, 470, 0.9)])
        #expect(BoxAnchor.bottomCenter.point(of: object) == PixelPoint(x: 150, y: 500))
        #expect(BoxAnchor.center.point(of: object) == PixelPoint(x: 150, y: 400))
    }

    /// A table hides the legs of nobody: the ankles are above the lower edge of the box.
    @Test(arguments: [(BoxAnchor.feet, 1), (.bottomCenter, 0)])
    func aLineCountsTheAnkles(anchor: BoxAnchor, count: Int) {
        var gate = LineZone(from: PixelPoint(x: 0, y: 450), to: PixelPoint(x: 400, y: 450), anchor: anchor)
        for (time, y) in [400.0, 410, 420, 480, 490, 500].enumerated() {
            gate.update(with: [person(ankles: [(130, y, 0.9), (150, y, 0.9)])], at: .seconds(time))
        }
        #expect(gate.totalIn == count)
    }

    @Test(arguments: [(BoxAnchor.feet, true), (.bottomCenter, false)])
    func aZoneHoldsTheAnkles(anchor: BoxAnchor, isInside: Bool) {
        let corners = [(100.0, 400.0), (200, 400), (200, 490), (100, 490)].map { PixelPoint(x: $0.0, y: $0.1) }
        let zone = PolygonZone(corners, anchor: anchor)
        #expect(zone.contains(person(ankles: [(130, 470, 0.9), (150, 470, 0.9)])) == isInside)
    }

    /// The box of the first sighting ends on the other side of the line than the ankles ever were.
    @Test func theBoxOfTheFirstSightingDoesNotCountBesideAnkles() {
        var gate = LineZone(from: PixelPoint(x: 0, y: 450), to: PixelPoint(x: 400, y: 450), anchor: .feet)
        let first = PixelRect(x: 100, y: 200, width: 100, height: 200)
        gate.update(with: [], at: .zero)
        for time in 1..<6 {
            let seen = person(ankles: [(130, 490, 0.9), (150, 490, 0.9)], firstFrame: first)
            gate.update(with: [seen], at: .seconds(time))
        }
        #expect(gate.totalIn == 0)
    }
}
